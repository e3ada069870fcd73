/** A Kubernetes object, as `kubectl get -o json` shows it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; uid?: string; labels?: Record<string, string>; annotations?: Record<string, string>; [member: string]: unknown };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [member: string]: unknown;
}

/** What a command printed. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  /** Absent while the command still waits (`kubectl rollout status`): it ends while steps are made. */
  exitCode?: number;
}

/** How a run went. */
export interface RunResult {
  /** `quiet`: nothing is due any more. `more`: the budget is used up. `loop`: it goes round in circles. */
  progress: 'quiet' | 'more' | 'waveOver' | 'reached' | 'loop';
  /** The position after it. */
  position: number;
  /** For `loop`: the first step of a round. */
  from?: number;
  /** For `loop`: the last step of a round. */
  to?: number;
}

/** Who acted. */
export type Actor =
  | 'Person' | 'DaemonSetController' | 'Scheduler' | 'Kubelet' | 'NodeLifecycleController' | 'TaintEvictionController'
  | 'PodGarbageCollector' | 'ReplicaSetController' | 'DeploymentController' | 'GarbageCollector' | 'NamespaceController';

/** Which object. */
export interface ObjectName {
  kind: string;
  /** Absent for kinds without a namespace. */
  namespace?: string;
  name: string;
}

/** One turn of one actor. */
export interface Step {
  /** Counted from 1. */
  number: number;
  /** Virtual time, in milliseconds since the start. */
  atMs: number;
  /** How far the clock jumped since the step before. */
  waitedMs: number;
  actor: Actor;
  /** What it is about. */
  subject?: ObjectName;
  /** The step that made this one due. */
  cause?: number;
  /** The command line, for a person's step. */
  command?: string;
  /** The step in one line, for logs and tests. */
  line: string;
  changes: (ObjectName & { change: 'created' | 'changed' | 'removed' })[];
}

/** The cluster at one moment. */
export interface Snapshot {
  /** Number of steps before this moment. */
  position: number;
  /** Number of steps of the present line. */
  length: number;
  /** Virtual time, in milliseconds since the start. */
  atMs: number;
  /** Whether nothing is due. */
  quiet: boolean;
  objects: KubernetesObject[];
}

/** A line that was left by acting in the past. */
export interface Branch {
  /** Number of its steps. */
  length: number;
  /** How many of them it shares with the present line. */
  fork: number;
}

/** A link that holds a state. */
export interface Permalink {
  url: string;
  /** Its length in characters. Some chat programs cut at 2,000. */
  length: number;
  /** Too long to be of use (above 32,768 characters): share `scenario()` as a file. */
  tooLong: boolean;
}

/** What `explain` is asked. */
export interface ExplainQuestion {
  daemonset: string;
  /** `default` when absent. */
  namespace?: string;
  node: string;
}

/** A taint of a node. */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

/** One thing that the DaemonSet controller looked at. */
export type EligibilityCheck =
  | { check: 'nodeName'; wanted: string; actual: string }
  | { check: 'nodeSelector'; key: string; wanted: string; actual?: string }
  | { check: 'nodeAffinity'; terms: AffinityTerm[] }
  | { check: 'taint'; index: number; taint: Taint; outcome: TaintOutcome };

/** A term of the required node affinity. */
export interface AffinityTerm {
  index: number;
  passed: boolean;
  requirements: {
    list: 'matchExpressions' | 'matchFields';
    index: number;
    requirement: { key: string; operator: string; values?: string[] };
    /** The node's value; absent when it has none. */
    actual?: string;
    passed: boolean;
    notANumber: boolean;
  }[];
}

/** What a taint does to the pods of the DaemonSet. */
export type TaintOutcome =
  | 'onlyPreference' | 'keepsNewPodsOff' | 'keepsAllPodsOff'
  | { tolerated: 'automatic' | { template: number } | { automaticInPlaceOf: number } };

/** A change of one field of the node or of the DaemonSet. */
export interface Edit {
  edit: string;
  [member: string]: unknown;
}

/** Why a DaemonSet has, or has not, a pod on a node. */
export interface Explanation {
  verdict: {
    /** A pod should be placed here if there is none. */
    shouldRun: boolean;
    /** A pod that is already here may stay. */
    shouldContinueRunning: boolean;
    /** All checks, not only up to the first that failed. */
    checks: EligibilityCheck[];
  };
  /** Tolerations of the template that nearly cover a taint. */
  nearMisses: { taint: number; toleration: number; differs: 'effect' | 'value' | 'valueAndEffect' | 'operatorIsOff' }[];
  /** What would turn `shouldRun`, the smallest change first. */
  changes: { edits: Edit[] }[];
}

/** A check in the form of lesson files: `{daemonset: 'agent', ready: 3}`, `{pods: 'app=agent', nodes: ['worker1']}`. */
export type Check = Record<string, unknown>;

/** A check that does not hold. */
export interface CheckFailure {
  /** Its place in the list, counted from 0. */
  index: number;
  /** As it was written. */
  check: Check;
  /** What is the case instead. */
  actual: string;
}

/** How things stand, compared with what is expected. */
export interface CheckResult {
  ok: boolean;
  failed: CheckFailure[];
  /** Number of checks that were looked at. */
  checks: number;
}

/** What came of a scenario that was played to its end. */
export interface VerifyResult extends CheckResult {
  ending: 'quiet' | 'loop' | 'endless';
  /** How the scenario says that it ends. */
  expectedEnding: 'quiet' | 'loop' | 'endless';
  /** Steps that were made. */
  steps: number;
}

/** One thing that a rule found in a manifest. */
export interface Finding {
  /** The rule: `floating-image-tag`, `no-priority-class`… */
  rule: string;
  level: string;
  /** The DaemonSet: `namespace/name`. */
  object: string;
  /** The field, in Kubernetes' notation. */
  path: string;
  /** Where that is in the text. */
  span: Record<string, unknown>;
  /** What the rule saw, by name. */
  facts: Record<string, string>;
  /** The one right change of the text, where there is one. */
  fix?: Record<string, unknown>;
}

/** What one DaemonSet takes of the cluster. */
export interface Overhead {
  daemonset: unknown;
  perPod: Record<string, unknown>;
  /** Nodes of the cluster. */
  nodes: number;
  /** Nodes that should run a pod. */
  eligible: number;
  total: Record<string, unknown>;
  allocatable: Record<string, unknown>;
  share: Record<string, number>;
  parts: Record<string, unknown>[];
  pools: Record<string, unknown>[];
  heaviest?: Record<string, unknown>;
}

/** The budget of a rolling update. */
export interface Strategy {
  maxUnavailable: number | string;
  maxSurge: number | string;
}

/** What `forecast` is asked. */
export interface ForecastQuestion {
  daemonset: string;
  namespace?: string;
  /** As many as the DaemonSet has, when absent. */
  nodes?: number;
  /** A usual choice, when absent. */
  strategies?: Strategy[];
}

/** What is to be expected of a rollout. */
export interface Forecast {
  strategy: Strategy;
  nodes: number;
  /** Nodes that are rolled at the same time. */
  atOnce: number;
  waves: number;
  /** Virtual milliseconds; absent: it never ends. */
  durationMs?: number;
  /** Nodes without a ready pod at the worst moment. */
  uncovered: number;
  /** Most pods beyond one for each node. */
  extraPods: number;
}

/** What `compare` is asked. */
export interface CompareQuestion {
  daemonset: string;
  namespace?: string;
  /** As many as there are eligible nodes, when absent. */
  replicas?: number;
}

/** How a DaemonSet or a Deployment covers the cluster. */
export interface Coverage {
  pods: number;
  pending: number;
  covered: number;
  crowded: number;
  /** Whether a new node got a pod. */
  follows: boolean;
}

/** The same template as DaemonSet and as Deployment. */
export interface Comparison {
  replicas: number;
  eligible: number;
  daemonset: Coverage;
  deployment: Coverage;
  nodes: { node: string; isNew: boolean; eligible: boolean; daemonset: number; deployment: number }[];
}

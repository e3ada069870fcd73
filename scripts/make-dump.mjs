// Writes what `kubectl get nodes,daemonsets,deployments,pods,priorityclasses -A -o json` prints of a large cluster, with
// all its noise, to standard output: node scripts/make-dump.mjs [NODES] [DAEMONSETS] [DEPLOYMENTS]
const [nodes, sets, deployments] = process.argv.slice(2).concat(['5000', '1', '40'].slice(process.argv.length - 2)).map(Number);

let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffix = (n) => Array.from({ length: n }, () => letters[Math.floor(random() * letters.length)]).join('');
const hex = (n) => Array.from({ length: n }, () => Math.floor(random() * 16).toString(16)).join('');
const uid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const BORN = '2026-02-03T08:00:00Z';
const NOW = '2026-03-05T10:11:12Z';

const fields = (manager, operation, body, subresource) => ({
  apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: body, manager, operation, ...(subresource ? { subresource } : {}), time: NOW,
});
const wide = (names) => Object.fromEntries(names.map((name) => [`f:${name}`, { '.': {}, 'f:lastHeartbeatTime': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {} }]));

let first = true;
const out = [];
const flush = () => { process.stdout.write(out.join('')); out.length = 0; };
const item = (object) => {
  out.push(first ? '' : ',\n', JSON.stringify(object, null, 4).replace(/^/gm, '        '));
  first = false;
  if (out.length > 200) flush();
};

const resources = { cpu: '15890m', 'ephemeral-storage': '95491281146', 'hugepages-2Mi': '0', memory: '61847132Ki', pods: '110' };
const condition = (type, status, reason, message) => ({ lastHeartbeatTime: NOW, lastTransitionTime: BORN, message, reason, status, type });

process.stdout.write('{\n    "apiVersion": "v1",\n    "items": [\n');
const names = [];
for (let i = 0; i < nodes; i++) {
  const zone = `eu-west-1${'abc'[i % 3]}`;
  const name = `ip-10-${i >> 8}-${i & 255}-17.eu-west-1.compute.internal`;
  const lost = i % 1000 === 999;
  const gpu = i % 50 === 7;
  const node = uid();
  names.push({ name, uid: node, lost, gpu });
  item({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      annotations: { 'alpha.kubernetes.io/provided-node-ip': `10.${i >> 8}.${i & 255}.17`, 'node.alpha.kubernetes.io/ttl': '300', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      creationTimestamp: BORN,
      labels: {
        'beta.kubernetes.io/arch': 'amd64', 'beta.kubernetes.io/instance-type': 'm7i.4xlarge', 'beta.kubernetes.io/os': 'linux',
        'failure-domain.beta.kubernetes.io/region': 'eu-west-1', 'failure-domain.beta.kubernetes.io/zone': zone, 'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': 'm7i.4xlarge', ...(gpu ? { accelerator: 'nvidia' } : {}),
        'topology.kubernetes.io/region': 'eu-west-1', 'topology.kubernetes.io/zone': zone,
      },
      managedFields: [
        fields('kubelet', 'Update', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:alpha.kubernetes.io/provided-node-ip': {} }, 'f:labels': { '.': {}, 'f:beta.kubernetes.io/arch': {}, 'f:kubernetes.io/hostname': {}, 'f:kubernetes.io/os': {} } } }),
        fields('kubelet', 'Update', { 'f:status': { 'f:allocatable': { 'f:ephemeral-storage': {} }, 'f:conditions': wide(['k:{"type":"DiskPressure"}', 'k:{"type":"MemoryPressure"}', 'k:{"type":"PIDPressure"}', 'k:{"type":"Ready"}']), 'f:images': {} } }, 'status'),
      ],
      name, resourceVersion: String(9_000_000 + i), uid: node,
    },
    spec: { providerID: `aws:///${zone}/i-${hex(17)}`, ...(gpu ? { taints: [{ effect: 'NoSchedule', key: 'nvidia.com/gpu', value: 'true' }] } : lost ? { taints: [{ effect: 'NoSchedule', key: 'node.kubernetes.io/unreachable', timeAdded: NOW }, { effect: 'NoExecute', key: 'node.kubernetes.io/unreachable', timeAdded: NOW }] } : {}) },
    status: {
      addresses: [{ address: `10.${i >> 8}.${i & 255}.17`, type: 'InternalIP' }, { address: name, type: 'Hostname' }],
      allocatable: resources,
      capacity: { ...resources, cpu: '16', memory: '63022188Ki' },
      conditions: lost
        ? ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => condition(type, 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'))
        : [
          condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
          condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
          condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
          condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
        ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: Array.from({ length: 8 }, (_, n) => ({ names: [`registry.example.com/team/app-${n}@sha256:${hex(64)}`, `registry.example.com/team/app-${n}:v1.${n}`], sizeBytes: 10_000_000 + n })),
      nodeInfo: { architecture: 'amd64', bootID: uid(), containerRuntimeVersion: 'containerd://2.2.1', kernelVersion: '6.12.48', kubeProxyVersion: '', kubeletVersion: 'v1.36.2', machineID: hex(32), operatingSystem: 'linux', osImage: 'Debian GNU/Linux 13 (trixie)', systemUUID: uid() },
    },
  });
}

const pod = ({ namespace, name, generateName, labels, owner, node, template, pinned, phase = 'Running' }) => {
  const token = `kube-api-access-${suffix(5)}`;
  const running = phase === 'Running';
  item({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      creationTimestamp: BORN, generateName, generation: 1, labels,
      managedFields: [
        fields('kube-controller-manager', 'Update', { 'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {} }, 'f:ownerReferences': { '.': {}, [`k:{"uid":"${owner.uid}"}`]: {} } }, 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:imagePullPolicy': {}, 'f:name': {}, 'f:resources': {} } }, 'f:dnsPolicy': {} } }),
        fields('kubelet', 'Update', { 'f:status': { 'f:conditions': wide(['k:{"type":"ContainersReady"}', 'k:{"type":"Initialized"}', 'k:{"type":"Ready"}']), 'f:containerStatuses': {}, 'f:hostIP': {}, 'f:phase': {}, 'f:podIP': {} } }, 'status'),
      ],
      name, namespace, ownerReferences: [{ apiVersion: 'apps/v1', blockOwnerDeletion: true, controller: true, ...owner }], resourceVersion: String(9_500_000), uid: uid(),
    },
    spec: {
      ...(pinned ? { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node.name] }] }] } } } } : {}),
      ...template,
      containers: template.containers.map((container) => ({ ...container, volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', name: token, readOnly: true }] })),
      enableServiceLinks: true, nodeName: node.name, preemptionPolicy: 'PreemptLowerPriority', priority: 0, serviceAccount: 'default', serviceAccountName: 'default',
      tolerations: pinned
        ? ['not-ready:NoExecute', 'unreachable:NoExecute', 'disk-pressure:NoSchedule', 'memory-pressure:NoSchedule', 'pid-pressure:NoSchedule', 'unschedulable:NoSchedule'].map((text) => ({ effect: text.split(':')[1], key: `node.kubernetes.io/${text.split(':')[0]}`, operator: 'Exists' }))
        : ['not-ready', 'unreachable'].map((key) => ({ effect: 'NoExecute', key: `node.kubernetes.io/${key}`, operator: 'Exists', tolerationSeconds: 300 })),
      volumes: [{ name: token, projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }, { configMap: { items: [{ key: 'ca.crt', path: 'ca.crt' }], name: 'kube-root-ca.crt' } }] } }],
    },
    status: {
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        lastProbeTime: null, lastTransitionTime: BORN, observedGeneration: 1, status: running && !(node.lost && type === 'Ready') ? 'True' : 'False', type,
      })),
      containerStatuses: template.containers.map((container) => ({
        containerID: `containerd://${hex(64)}`, image: container.image, imageID: `${container.image}@sha256:${hex(64)}`, lastState: {}, name: container.name, ready: running, restartCount: 0, started: running,
        state: running ? { running: { startedAt: BORN } } : { waiting: { message: `Back-off pulling image "${container.image}"`, reason: 'ImagePullBackOff' } },
      })),
      hostIP: '10.0.0.17', hostIPs: [{ ip: '10.0.0.17' }], phase, podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }], qosClass: 'Burstable', startTime: BORN,
    },
  });
};

const container = (image, cpu) => ({ image, imagePullPolicy: 'IfNotPresent', name: 'main', resources: { limits: { memory: '128Mi' }, requests: { cpu, memory: '64Mi' } }, terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' });
const spec = (image, cpu) => ({ containers: [container(image, cpu)], dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', schedulerName: 'default-scheduler', securityContext: {}, terminationGracePeriodSeconds: 30 });

for (let s = 0; s < sets; s++) {
  const [name, namespace, set, hash] = [`agent-${s + 1}`, s % 2 ? 'logging' : 'monitoring', uid(), hex(9)];
  const labels = { app: name };
  const template = spec(`registry.example.com/${name}:v1.4.2`, '50m');
  const targets = names.filter((node) => !node.gpu);
  item({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { annotations: { 'deprecated.daemonset.template.generation': '3' }, creationTimestamp: BORN, generation: 3, labels, managedFields: [fields('kubectl-client-side-apply', 'Update', { 'f:spec': {} })], name, namespace, resourceVersion: '9600000', uid: set },
    spec: { revisionHistoryLimit: 10, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: template }, updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' }, type: 'RollingUpdate' } },
    status: {
      currentNumberScheduled: targets.length, desiredNumberScheduled: targets.length, numberAvailable: targets.filter((node) => !node.lost).length, numberMisscheduled: 0,
      numberReady: targets.filter((node) => !node.lost).length, numberUnavailable: targets.filter((node) => node.lost).length || undefined, observedGeneration: 3, updatedNumberScheduled: targets.length,
    },
  });
  for (const node of targets) {
    pod({ namespace, generateName: `${name}-`, name: `${name}-${suffix(5)}`, labels: { app: name, 'controller-revision-hash': hash, 'pod-template-generation': '3' }, owner: { kind: 'DaemonSet', name, uid: set }, node, template, pinned: true });
  }
}

for (let d = 0; d < deployments; d++) {
  const [name, namespace, hash, deployment, set] = [`web-${d + 1}`, 'shop', suffix(9), uid(), uid()];
  const labels = { app: name };
  const template = spec(`registry.example.com/${name}:2026.03`, '100m');
  const replicas = 25;
  const broken = d === 3;
  item({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '7' }, creationTimestamp: BORN, generation: 9, labels, name, namespace, resourceVersion: '9700000', uid: deployment },
    spec: { progressDeadlineSeconds: 600, replicas, revisionHistoryLimit: 10, selector: { matchLabels: labels }, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' }, type: 'RollingUpdate' }, template: { metadata: { labels }, spec: template } },
    status: {
      ...(broken ? { unavailableReplicas: replicas } : { availableReplicas: replicas, readyReplicas: replicas }),
      conditions: [
        { lastTransitionTime: BORN, lastUpdateTime: BORN, ...(broken
          ? { message: 'Deployment does not have minimum availability.', reason: 'MinimumReplicasUnavailable', status: 'False' }
          : { message: 'Deployment has minimum availability.', reason: 'MinimumReplicasAvailable', status: 'True' }), type: 'Available' },
        { lastTransitionTime: BORN, lastUpdateTime: BORN, message: `ReplicaSet "${name}-${hash}" has successfully progressed.`, reason: 'NewReplicaSetAvailable', status: 'True', type: 'Progressing' },
      ],
      observedGeneration: 9, replicas, updatedReplicas: replicas,
    },
  });
  for (let r = 0; r < replicas; r++) {
    const node = names[(d * 131 + r * 17) % names.length];
    const target = node.gpu || node.lost ? names[0] : node;
    pod({ namespace, generateName: `${name}-${hash}-`, name: `${name}-${hash}-${suffix(5)}`, labels: { app: name, 'pod-template-hash': hash }, owner: { kind: 'ReplicaSet', name: `${name}-${hash}`, uid: set }, node: target, template, pinned: false, phase: broken ? 'Pending' : 'Running' });
  }
}

// What does not act here, and what is not known here at all.
const db = uid();
for (let r = 0; r < 3 && nodes > 3; r++) pod({ namespace: 'shop', generateName: 'db-', name: `db-${r}`, labels: { app: 'db', 'apps.kubernetes.io/pod-index': String(r) }, owner: { kind: 'StatefulSet', name: 'db', uid: db }, node: names[r], template: spec('registry.example.com/db:16', '200m'), pinned: false });
item({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { creationTimestamp: BORN, name: 'settings', namespace: 'shop', resourceVersion: '9', uid: uid() }, data: { mode: 'loud' } });
item({ apiVersion: 'v1', kind: 'Secret', metadata: { creationTimestamp: BORN, name: 'password', namespace: 'shop', resourceVersion: '9', uid: uid() }, data: { password: 'aHVudGVyMg==' }, type: 'Opaque' });
item({ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { creationTimestamp: BORN, name: 'shop', namespace: 'shop', resourceVersion: '9', uid: uid() }, spec: { secretName: 'shop-tls' } });
item({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', description: 'For the shop.', metadata: { creationTimestamp: BORN, generation: 1, name: 'shop-critical', resourceVersion: '9', uid: uid() }, preemptionPolicy: 'PreemptLowerPriority', value: 100000 });
flush();
process.stdout.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n');

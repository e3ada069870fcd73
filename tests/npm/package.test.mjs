// The packed npm package, installed into empty projects: every example of its README runs (Node.js, Vite, TypeScript,
// shell). `make npm` makes what is tested here.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tarball = readdirSync(join(root, 'target')).filter((name) => /^daemonset-playground-.*\.tgz$/.test(name)).map((name) => join(root, 'target', name)).at(-1);
const readme = readFileSync(join(root, 'npm/README.md'), 'utf8');

/** The code blocks of the README that stand below `<!-- runs: … -->` or `<!-- file: … -->`. */
function examples(kind) {
  return [...readme.matchAll(/<!-- (runs|file): ([^>]*?) -->\n```\w+\n([\s\S]*?)```/g)]
    .map(([, what, how, code]) => ({ what, how: how.trim(), code }))
    .filter(({ what, how }) => `${what} ${how}`.startsWith(kind));
}

/** An empty project with the package. It lies below target/, so that Vite and tsc of this repository are found. */
function project(name, files) {
  const folder = join(root, 'target/npm-projects', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', tarball], { cwd: folder, stdio: 'pipe' });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

function run(folder, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('the package is packed with both targets, types, and no host or machine path', () => {
  assert.ok(tarball && existsSync(tarball), 'run make npm first');
  const list = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
  for (const file of ['index.d.ts', 'web.js', 'node.js', 'web/daemonset_playground_bg.wasm', 'bundler/daemonset_playground.js', 'bin/daemonset-playground.mjs', 'LICENSE']) {
    assert.ok(list.includes(`package/${file}`), file);
  }
});

test('the examples for Node.js print what they say', () => {
  const [start, ...after] = examples('runs node');
  assert.ok(after.length >= 3);
  const folder = project('node', { 'start.mjs': start.code });
  const first = run(folder, 'node', 'start.mjs');
  assert.equal(first.status, 0, first.stderr);
  const promised = start.code.match(/^\/\/ (NAME.*)\n\/\/ (agent.*)$/m);
  const words = (line) => line.trim().split(/\s+/);
  const [head, row] = first.stdout.split('\n');
  assert.deepEqual(words(head), words(promised[1]));
  assert.deepEqual(words(row).slice(0, 6), words(promised[2]).slice(0, 6));
  after.forEach(({ code }, index) => {
    // What a line prints stands behind it as a comment.
    const told = [...code.matchAll(/console\.log\(.*\); \/\/ ((?:true|false|\d+)(?: (?:true|false))*|keepsNewPodsOff)$/gm)].map(([, text]) => text);
    writeFileSync(join(folder, `after${index}.mjs`), `${start.code}\n${code}`);
    const result = run(folder, 'node', `after${index}.mjs`);
    assert.equal(result.status, 0, result.stderr);
    const lines = result.stdout.split('\n');
    for (const text of told) assert.ok(lines.includes(text), `${text} in\n${result.stdout}`);
  });
});

test('the checker prints what differs and says so with its exit code', () => {
  const [{ how, code }] = examples('file');
  const wrong = code.replace('desired: 2', 'desired: 3');
  const markdown = `# Text\n\n\`\`\`yaml\n# daemonset-playground step=end\n${code}\`\`\`\n\n\`\`\`yaml\nkind: Pod\n\`\`\`\n`;
  const folder = project('checker', { [how]: code, 'wrong.yaml': wrong, 'page.md': markdown, 'broken.yaml': 'logs: []\n' });
  const bin = join(folder, 'node_modules/.bin/daemonset-playground');
  const good = run(folder, bin, 'check', how, 'page.md');
  assert.equal(good.status, 0, good.stdout + good.stderr);
  assert.match(good.stdout, /^ok {5}agent\.yaml: 2 checks hold after \d+ steps\nok {5}page\.md:4: 2 checks hold after \d+ steps\n2 checked, 0 differ, 0 could not be read\n$/);
  const bad = run(folder, bin, 'check', 'wrong.yaml', how);
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /FAIL {3}wrong\.yaml\n {7}check 1: \{"daemonset":"agent","desired":3,"ready":2\}\n {7}instead: desired 2, ready 2\n/);
  const unread = run(folder, bin, 'check', 'broken.yaml', 'gone.yaml');
  assert.equal(unread.status, 2);
  assert.match(unread.stdout, /broken\.yaml: .*unknown field `logs`[\s\S]*gone\.yaml: there is no such file/);
  assert.equal(run(folder, bin, 'fly').status, 2);
  assert.match(run(folder, bin, '--help').stdout, /^Usage: /);
  const lines = run(folder, bin, 'check', '--json', 'wrong.yaml').stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(lines[0].result.failed[0].actual, 'desired 2, ready 2');
});

test('Vite builds the example, with one wasm file', async () => {
  const [{ code }] = examples('runs vite');
  const folder = project('vite', {
    'index.html': '<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body><script type="module" src="/main.js"></script></body></html>',
    'main.js': code,
    'vite.config.js': "export default { base: './', build: { target: 'es2022', modulePreload: false } };\n",
  });
  const built = run(folder, join(root, 'node_modules/.bin/vite'), 'build');
  assert.equal(built.status, 0, built.stderr);
  const assets = readdirSync(join(folder, 'dist/assets'));
  assert.equal(assets.filter((name) => name.endsWith('.wasm')).length, 1, assets.join(' '));
  const { chromium } = await import('@playwright/test');
  const { serve } = await import('../e2e/server.mjs');
  const server = await serve({ directory: join(folder, 'dist') });
  const browser = await chromium.launch({ executablePath: process.env.CHROME || '/usr/bin/chromium', args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.getByText('node/worker1').waitFor({ timeout: 60_000 });
  } finally {
    await browser.close();
    await server.close();
  }
});

test('the types hold under --strict, and refuse what is wrong', () => {
  const [{ code }] = examples('runs typescript');
  const options = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', types: [], lib: ['es2022', 'dom'], skipLibCheck: false };
  const folder = project('typescript', {
    'good.ts': code,
    'wrong.ts': "import { Playground } from 'daemonset-playground';\nPlayground.fromScenario(1);\nPlayground.fromScenario('').kubectl('x').stdou;\n",
    'tsconfig.json': JSON.stringify({ compilerOptions: options, files: ['good.ts'] }),
    'wrong.json': JSON.stringify({ compilerOptions: options, files: ['wrong.ts'] }),
  });
  const tsc = join(root, 'node_modules/.bin/tsc');
  const good = run(folder, tsc, '-p', '.');
  assert.equal(good.status, 0, good.stdout);
  const wrong = run(folder, tsc, '-p', 'wrong.json');
  assert.match(wrong.stdout, /wrong\.ts\(2,25\)[\s\S]*wrong\.ts\(3,42\)/);
  assert.equal(run(folder, 'node', '--input-type=module', '-e', "import load, { Playground } from 'daemonset-playground'; await load(); console.log(typeof Playground);").stdout, 'function\n');
});

#!/usr/bin/env node
// Checks scenario files from the command line, for the CI of documentation.
import { readFile } from 'node:fs/promises';
import load, { Playground, version } from '../node.js';

const HELP = `Usage: daemonset-playground check [--json] FILE...

Plays each scenario to its end and compares what came of it with its "expect".
A FILE is a scenario (.yaml, .yml, .json), or a Markdown file (.md, .mdx): then every code block is checked
that begins with the line "# daemonset-playground".

Exit code: 0 all is as expected, 1 something differs, 2 a file could not be read or is no scenario.

  --json     print the results as JSON, one line for each scenario
  --help     print this
  --version  print the version
`;

/** The first line of a code block that is a scenario. What follows the word are attributes of the element. */
const MARK = /^\s*#\s*daemonset-playground\b/;

/** The scenarios in a Markdown text, with the line on which each begins. */
export function fences(markdown) {
  const found = [];
  let open;
  markdown.split(/\r?\n/).forEach((line, index) => {
    const fence = line.match(/^(\s*)(`{3,}|~{3,})/);
    if (!open) {
      if (fence) open = { indent: fence[1].length, mark: fence[2], line: index + 2, text: [] };
    } else if (fence && fence[2].startsWith(open.mark) && line.trim() === fence[2]) {
      if (MARK.test(open.text[0] ?? '')) found.push({ line: open.line, text: `${open.text.join('\n')}\n` });
      open = undefined;
    } else {
      open.text.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
    }
  });
  return found;
}

/** What is to be checked in a file: `[{ name, text }]`. */
async function scenariosOf(file) {
  const text = await readFile(file, 'utf8');
  if (!/\.(md|mdx|markdown)$/i.test(file)) return [{ name: file, text }];
  return fences(text).map((fence) => ({ name: `${file}:${fence.line}`, text: fence.text }));
}

function report({ name, result, error }) {
  if (error) return [`error  ${name}: ${error}`];
  const { ok, checks, failed, ending, expectedEnding, steps } = result;
  if (ok) return [`ok     ${name}: ${checks} ${checks === 1 ? 'check holds' : 'checks hold'} after ${steps} steps`];
  const lines = [`FAIL   ${name}`];
  if (ending !== expectedEnding) lines.push(`       ends: ${ending}`, `       expected: ${expectedEnding}`);
  for (const { index, check, actual } of failed) {
    lines.push(`       check ${index + 1}: ${JSON.stringify(check)}`, `       instead: ${actual}`);
  }
  return lines;
}

async function check(files, json) {
  await load();
  const done = [];
  for (const file of files) {
    let scenarios;
    try {
      scenarios = await scenariosOf(file);
    } catch (error) {
      scenarios = [];
      done.push({ name: file, error: error.code === 'ENOENT' ? 'there is no such file' : error.message });
    }
    for (const { name, text } of scenarios) {
      try {
        done.push({ name, result: Playground.verify(text) });
      } catch (error) {
        done.push({ name, error: error.message });
      }
    }
  }
  for (const one of done) console.log(json ? JSON.stringify(one) : report(one).join('\n'));
  const errors = done.filter((one) => one.error).length;
  const differ = done.filter((one) => one.result && !one.result.ok).length;
  if (!json) console.log(`${done.length} checked, ${differ} ${differ === 1 ? 'differs' : 'differ'}, ${errors} could not be read`);
  return errors ? 2 : differ ? 1 : 0;
}

async function main([command, ...rest]) {
  if (command === '--version' || command === '-V') {
    await load();
    console.log(version());
    return 0;
  }
  if (!command || command === '--help' || command === '-h' || command === 'help') {
    console.log(HELP.trimEnd());
    return command ? 0 : 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(HELP.trimEnd());
    return 0;
  }
  const files = rest.filter((word) => !word.startsWith('-'));
  const unknown = rest.find((word) => word.startsWith('-') && word !== '--json');
  if (command !== 'check' || unknown || files.length === 0) {
    const wrong = command !== 'check' ? `unknown command ${command}` : unknown ? `unknown option ${unknown}` : 'check needs a file';
    console.error(`${wrong}\n\n${HELP.trimEnd()}`);
    return 2;
  }
  return check(files, rest.includes('--json'));
}

process.exitCode = await main(process.argv.slice(2));

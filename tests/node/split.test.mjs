// The splitter of WebAssembly modules: the parts together do what the whole did, and each arrives when it is first needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import binaryen from 'binaryen';
import { walk } from '../../scripts/wasm/code.mjs';
import { parse, write } from '../../scripts/wasm/module.mjs';
import { instrument, split } from '../../scripts/wasm/split.mjs';

const SOURCE = `(module
  (import "page" "tell" (func $tell (param i32)))
  (type $unary (func (param i32) (result i32)))
  (table 2 funcref)
  (elem (i32.const 0) $double $square)
  (memory (export "memory") 1)
  (global $calls (mut i32) (i32.const 0))
  (data (i32.const 16) "kept")
  (func $nothing)
  (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $square (param i32) (result i32)
    (call $nothing)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (call $tell (local.get 0))
    (i32.mul (local.get 0) (local.get 0)))
  (func (export "quadruple") (param i32) (result i32) (call $double (call $double (local.get 0))))
  (func (export "fourth") (param i32) (result i32) (call $square (call $square (local.get 0))))
  (func (export "by_table") (param i32 i32) (result i32) (call_indirect (type $unary) (local.get 0) (local.get 1)))
  (func (export "calls") (result i32) (global.get $calls))
  (func (export "cube_of_double") (param i32) (result i32)
    (i32.mul (call $square (call $double (local.get 0))) (call $double (local.get 0)))))`;

function build() {
  const made = binaryen.parseText(SOURCE);
  const bytes = made.emitBinary();
  made.dispose();
  return parse(bytes);
}

/** The parts as the page runs them; `loads` tells which were asked for, `told` what reached the page. */
function run(parts) {
  const [loads, told] = [[], []];
  let exports;
  const load = (part) => () => {
    loads.push(part);
    new WebAssembly.Instance(new WebAssembly.Module(parts[part]), { first: exports });
    exports[`split:loaded${part}`].value = 1;
  };
  const imports = { page: { tell: (value) => told.push(value) }, split: { load1: load(1), load2: load(2) } };
  ({ exports } = new WebAssembly.Instance(new WebAssembly.Module(parts[0]), imports));
  return { exports, loads, told };
}

// In the order of the source: nothing, double, square, then the exported ones.
const WHERE = [2, 0, 1, 0, 2, 0, 0, 1];

test('a module that is read and written does the same', () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(write(build())), { page: { tell() {} } });
  assert.equal(exports.quadruple(3), 12);
  assert.equal(exports.fourth(3), 81);
});

test('what the first part can do alone asks for nothing', () => {
  const { exports, loads } = run(split(build(), (index) => WHERE[index]).parts);
  assert.equal(exports.quadruple(3), 12);
  assert.equal(exports.by_table(5, 0), 10);
  assert.deepEqual(loads, []);
});

test('a function of a later part brings its part, once', () => {
  const { exports, loads, told } = run(split(build(), (index) => WHERE[index]).parts);
  assert.equal(exports.fourth(3), 81);
  assert.equal(exports.fourth(2), 16);
  // `fourth` is in the last part, and calls `square`, which is in the one between and calls back into the last.
  assert.deepEqual(loads, [2, 1]);
  assert.deepEqual(told, [3, 9, 2, 4]);
  assert.equal(exports.calls(), 4);
});

test('a later part calls what is in the first', () => {
  const { exports, loads } = run(split(build(), (index) => WHERE[index]).parts);
  assert.equal(exports.cube_of_double(1), 8);
  assert.deepEqual(loads, [1, 2]);
});

test('a call through the table reaches a later part before and after it is there', () => {
  const { exports, loads } = run(split(build(), (index) => WHERE[index]).parts);
  assert.equal(exports.by_table(7, 1), 49);
  assert.equal(exports.by_table(7, 1), 49);
  assert.deepEqual(loads, [1, 2]);
});

test('data that only a later part needs comes with it', () => {
  const module = build();
  const parts = split(module, (index) => WHERE[index], [[], module.data, []]).parts;
  const { exports } = run(parts);
  const text = () => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, 16, 4));
  assert.equal(text(), '\0\0\0\0');
  exports.by_table(1, 1);
  assert.equal(text(), 'kept');
});

test('the counting module marks what was called', (t) => {
  const counting = instrument(build());
  if (!WebAssembly.validate(counting)) return t.skip('this Node.js knows no second memory; the browser that measures does');
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(counting), { page: { tell() {} } });
  exports.quadruple(1);
  assert.deepEqual([...new Uint8Array(exports.profile.buffer, 0, WHERE.length)], [0, 1, 0, 1, 0, 0, 0, 0]);
});

test('an address is found in either half of a long number', () => {
  // No locals; i64.const 0x0000000700001234; drop; end.
  const body = Uint8Array.from([0, 0x42, 0xb4, 0xa4, 0x80, 0x80, 0xf0, 0x00, 0x1a, 0x0b]);
  const found = [];
  walk(body, (kind, value) => found.push([kind, value]));
  assert.deepEqual(found, [
    ['number', 0x1234],
    ['number', 7],
  ]);
});

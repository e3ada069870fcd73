// Splits a WebAssembly module into one that the page needs first and others that follow later. All work on the same
// memory and the same tables. In the first module every function of a later one that another module refers to is a short
// stub: it asks the page for that module if it is not there yet, and then calls the function through a table of its own,
// which the later module fills when it is instantiated. No source code takes part in this; www/split.js is the other half.
import { behindLocals, call, number, renumber, walk } from './code.mjs';
import { importOf, KIND, u32, write } from './module.mjs';

const short = (number) => `:${number.toString(36)}`;

/**
 * @param {ReturnType<import('./module.mjs').parse>} module
 * @param {(index: number) => number} partOf which part one of the module's own functions belongs to, by its number: 0 is the first
 * @param {object[][]} [data] the data segments of each part; without it all are in the first
 * @returns {{ parts: Uint8Array[], counts: number[], stubs: number }}
 */
export function split(module, partOf, data = [module.data]) {
  const imported = module.imports.length;
  const own = module.functions.map((type, index) => ({ type, index: imported + index, body: module.bodies[index], part: partOf(index) }));
  const at = (index) => own[index - imported];
  const part = (index) => (index < imported ? 0 : at(index).part);
  const count = own.reduce((most, { part: number }) => Math.max(most, number), 0) + 1;
  const parts = Array.from({ length: count }, (_, number) => own.filter((one) => one.part === number));

  // What the parts need of each other: of a later one by a stub, which the first exports like its own functions.
  const stubs = new Map();
  const needStub = (index) => part(index) > 0 && !stubs.has(index) && stubs.set(index, stubs.size);
  const shared = new Map();
  for (const { body, part: from } of own) {
    walk(body, (kind, value) => {
      if (kind === 'ref' && from > 0) throw new Error('a function of a later part refers to a function by its index');
      if ((kind !== 'call' && kind !== 'ref') || part(value) === from) return;
      needStub(value);
      if (from > 0 && !shared.has(value)) shared.set(value, shared.size);
    });
  }
  for (const { functions } of module.elements) functions.forEach(needStub);
  for (const { kind, index } of module.exports) if (kind === KIND.function) needStub(index);

  // The first: imports, the page's `load` for each later part, its functions, `ensure` for each later part, the stubs.
  const later = Array.from({ length: count - 1 }, (_, number) => number + 1);
  const plain = module.types.findIndex(({ params, results }) => params.length === 0 && results.length === 0);
  if (plain < 0) throw new Error('no function without parameters and results');
  const places = new Map(parts[0].map(({ index }, place) => [index, imported + later.length + place]));
  const ensure = (number) => imported + later.length + parts[0].length + number - 1;
  const inFirst = (index) => (index < imported ? index : (places.get(index) ?? ensure(count) + stubs.get(index)));
  const table = module.tables.length;
  const flag = (number) => module.globals.length + number - 1;
  const stub = ([index, slot]) => {
    const { type, part: which } = at(index);
    const given = module.types[type].params.flatMap((_, place) => [0x20, ...u32(place)]);
    return [0, ...call(ensure(which)), ...given, ...number(slot), 0x11, ...u32(type), ...u32(table), 0x0b];
  };
  const first = {
    types: module.types,
    imports: [...module.imports, ...later.map((which) => importOf('split', `load${which}`, KIND.function, u32(plain)))],
    functions: [...parts[0].map(({ type }) => type), ...later.map(() => plain), ...[...stubs.keys()].map((index) => at(index).type)],
    tables: [...module.tables, [0x70, 0x01, ...u32(stubs.size), ...u32(stubs.size)]],
    memories: module.memories,
    globals: [...module.globals, ...later.map(() => [0x7f, 0x01, 0x41, 0, 0x0b])],
    exports: [
      ...module.exports.map((entry) => (entry.kind === KIND.function ? { ...entry, index: inFirst(entry.index) } : entry)),
      ...[...module.tables.keys(), table].map((index) => ({ name: `split:t${index}`, kind: KIND.table, index })),
      ...module.globals.map((_, index) => ({ name: `split:g${index}`, kind: KIND.global, index })),
      { name: 'split:m', kind: KIND.memory, index: 0 },
      ...later.map((which) => ({ name: `split:loaded${which}`, kind: KIND.global, index: flag(which) })),
      ...[...shared].map(([index, place]) => ({ name: short(place), kind: KIND.function, index: inFirst(index) })),
    ],
    elements: module.elements.map((segment) => ({ ...segment, functions: segment.functions.map(inFirst) })),
    bodies: [
      ...parts[0].map(({ body }) => renumber(body, inFirst)),
      // Unless the part is there: load it.
      ...later.map((which) => [0, 0x23, ...u32(flag(which)), 0x45, 0x04, 0x40, ...call(imported + which - 1), 0x0b, 0x0b]),
      ...[...stubs].map(stub),
    ],
    data: data[0],
  };

  // A later part: what it needs of the first one, then its functions.
  const typeOf = (index) => (index < imported ? module.imports[index].type : at(index).type);
  const rest = later.map((which) => {
    const needed = new Map();
    for (const { body } of parts[which]) {
      walk(body, (kind, value) => kind === 'call' && part(value) !== which && !needed.has(value) && needed.set(value, needed.size));
    }
    const mine = new Map(parts[which].map(({ index }, place) => [index, needed.size + place]));
    const inPart = (index) => mine.get(index) ?? needed.get(index);
    const isHere = (index) => mine.has(index);
    return {
      types: module.types,
      imports: [
        ...[...needed.keys()].map((index) => importOf('first', short(shared.get(index)), KIND.function, u32(typeOf(index)))),
        ...first.tables.map((type, index) => importOf('first', `split:t${index}`, KIND.table, [...type])),
        importOf('first', 'split:m', KIND.memory, [...module.memories[0]]),
        ...module.globals.map((raw, index) => importOf('first', `split:g${index}`, KIND.global, [...raw.subarray(0, 2)])),
      ],
      functions: parts[which].map(({ type }) => type),
      tables: [],
      memories: [],
      globals: [],
      exports: [],
      // Its functions take the places of their stubs, in the table of the stubs and in that of the whole program.
      elements: [
        ...runs({ table, offset: 0, functions: [...stubs.keys()] }, isHere, inPart),
        ...module.elements.flatMap((segment) => runs(segment, isHere, inPart)),
      ],
      bodies: parts[which].map(({ body }) => renumber(body, inPart)),
      data: data[which] ?? [],
    };
  });
  return { parts: [first, ...rest].map(write), counts: parts.map((list) => list.length), stubs: stubs.size };
}

/** The places of an element segment that belong to a part, as segments of neighbours. */
function runs({ table, offset, functions }, isHere, inPart) {
  const found = [];
  let open;
  for (const [place, index] of functions.entries()) {
    if (!isHere(index)) open = undefined;
    else if (open) open.functions.push(inPart(index));
    else found.push((open = { table, offset: offset + place, functions: [inPart(index)] }));
  }
  return found;
}

/**
 * The module with a second memory, exported as `profile`, in which each function that is called leaves a mark: byte n
 * is 1 when the n-th of the module's own functions was called.
 */
export function instrument(module) {
  const pages = Math.ceil(module.bodies.length / 65536);
  const memory = module.memories.length;
  const bodies = module.bodies.map((body, index) => {
    const start = behindLocals(body);
    const mark = [...number(index), ...number(1), 0x3a, 0x40, ...u32(memory), 0];
    return Buffer.concat([body.subarray(0, start), Uint8Array.from(mark), body.subarray(start)]);
  });
  return write({
    ...module,
    bodies,
    memories: [...module.memories, [0, ...u32(pages)]],
    exports: [...module.exports, { name: 'profile', kind: KIND.memory, index: memory }],
  });
}

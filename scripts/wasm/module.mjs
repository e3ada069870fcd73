// Reads a WebAssembly module into its parts and writes the parts down again: as much of the binary format as rustc,
// wasm-bindgen and wasm-opt use. Whatever it does not know it names in an error instead of guessing.

/** Reads numbers, names and bytes one after the other. */
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned number of up to 32 bits (LEB128). */
  u32() {
    let result = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      result += (byte & 0x7f) * factor;
      if (byte < 0x80) return result;
      factor *= 128;
    }
  }

  /** A signed number of up to 32 bits. */
  s32() {
    let result = 0;
    let shift = 0;
    for (;;) {
      const byte = this.byte();
      result |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return shift < 32 && byte & 0x40 ? result | (-1 << shift) : result;
    }
  }

  /** A signed number of up to 64 bits. */
  s64() {
    let result = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.byte();
      result |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) return byte & 0x40 ? result - (1n << shift) : result;
    }
  }

  /** Passes over a number of whatever size. */
  skipNumber() {
    while (this.byte() >= 0x80);
  }

  take(length) {
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }

  name() {
    return new TextDecoder().decode(this.take(this.u32()));
  }

  /** As many things as the number before them says. */
  list(read) {
    return Array.from({ length: this.u32() }, (_, index) => read(index));
  }

  /** The bytes that `read` passes over. */
  raw(read) {
    const from = this.at;
    read();
    return this.bytes.subarray(from, this.at);
  }
}

export function u32(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest ? 0x80 : 0));
    value = rest;
  } while (value);
  return bytes;
}

export function s32(value) {
  const bytes = [];
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    if ((value === 0 && !(byte & 0x40)) || (value === -1 && byte & 0x40)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}

const text = (value) => {
  const bytes = new TextEncoder().encode(value);
  return [...u32(bytes.length), ...bytes];
};
export const KIND = { function: 0, table: 1, memory: 2, global: 3 };

function limits(reader) {
  const flags = reader.byte();
  reader.skipNumber();
  if (flags & 1) reader.skipNumber();
}

/** The only offset that the linker writes: a number. */
function constant(reader) {
  if (reader.byte() !== 0x41) throw new Error('a segment does not begin at a plain number');
  const value = reader.s32();
  if (reader.byte() !== 0x0b) throw new Error('a segment does not begin at a plain number');
  return value;
}

function element(reader) {
  const flags = reader.u32();
  if (flags !== 0 && flags !== 2) throw new Error(`element segment of kind ${flags}`);
  const table = flags === 2 ? reader.u32() : 0;
  const offset = constant(reader);
  if (flags === 2 && reader.byte() !== 0) throw new Error('an element segment of something else than functions');
  return { table, offset, functions: reader.list(() => reader.u32()) };
}

function segment(reader) {
  const flags = reader.u32();
  if (flags !== 0) throw new Error(`data segment of kind ${flags}`);
  const offset = constant(reader);
  return { offset, bytes: reader.take(reader.u32()) };
}

/** The parts of a module. `imports` of functions come before `functions` in the index space. */
export function parse(bytes) {
  const reader = new Reader(bytes, 8);
  const module = { types: [], imports: [], functions: [], tables: [], memories: [], globals: [], exports: [], elements: [], bodies: [], data: [], names: new Map(), custom: new Map() };
  const type = () => {
    const from = reader.at;
    if (reader.byte() !== 0x60) throw new Error('a type that is no function');
    const params = reader.list(() => reader.byte());
    const results = reader.list(() => reader.byte());
    return { params, results, raw: bytes.subarray(from, reader.at) };
  };
  const imported = () => {
    const from = reader.at;
    const [where, name, kind] = [reader.name(), reader.name(), reader.byte()];
    if (kind !== KIND.function) throw new Error(`the module imports ${where}.${name}, which is no function`);
    return { type: reader.u32(), raw: bytes.subarray(from, reader.at) };
  };
  const global = () =>
    reader.raw(() => {
      reader.take(2);
      const opcode = reader.byte();
      if (opcode === 0x41 || opcode === 0x42) reader.skipNumber();
      else if (opcode === 0x43) reader.take(4);
      else if (opcode === 0x44) reader.take(8);
      else throw new Error('a global does not begin as a plain number');
      if (reader.byte() !== 0x0b) throw new Error('a global does not begin as a plain number');
    });
  while (reader.at < bytes.length) {
    const [id, size] = [reader.byte(), reader.u32()];
    const end = reader.at + size;
    if (id === 0) {
      const name = reader.name();
      module.custom.set(name, bytes.subarray(reader.at, end));
    } else if (id === 1) module.types = reader.list(type);
    else if (id === 2) module.imports = reader.list(imported);
    else if (id === 3) module.functions = reader.list(() => reader.u32());
    else if (id === 4)
      module.tables = reader.list(() =>
        reader.raw(() => {
          reader.byte();
          limits(reader);
        }),
      );
    else if (id === 5) module.memories = reader.list(() => reader.raw(() => limits(reader)));
    else if (id === 6) module.globals = reader.list(global);
    else if (id === 7) module.exports = reader.list(() => ({ name: reader.name(), kind: reader.byte(), index: reader.u32() }));
    else if (id === 9) module.elements = reader.list(() => element(reader));
    else if (id === 10) module.bodies = reader.list(() => reader.take(reader.u32()));
    else if (id === 11) module.data = reader.list(() => segment(reader));
    else if (id !== 12) throw new Error(`section ${id}`);
    reader.at = end;
  }
  const names = module.custom.get('name');
  if (names) module.names = functionNames(names);
  return module;
}

function functionNames(bytes) {
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const [id, size] = [reader.byte(), reader.u32()];
    if (id === 1) return new Map(reader.list(() => [reader.u32(), reader.name()]));
    reader.at += size;
  }
  return new Map();
}

function section(id, items) {
  if (items.length === 0) return [];
  const parts = [Uint8Array.from(u32(items.length)), ...items.map((item) => Uint8Array.from(item))];
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.from([id, ...u32(size)]), ...parts];
}

const sized = (bytes) => {
  const length = u32(bytes.length);
  const all = new Uint8Array(length.length + bytes.length);
  all.set(length);
  all.set(bytes, length.length);
  return all;
};

/** The module as bytes. Names and custom sections stay out. */
export function write(module) {
  const parts = [
    Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    ...section(1, module.types.map(({ raw }) => raw)),
    ...section(2, module.imports.map(({ raw }) => raw)),
    ...section(3, module.functions.map(u32)),
    ...section(4, module.tables),
    ...section(5, module.memories),
    ...section(6, module.globals),
    ...section(7, module.exports.map(({ name, kind, index }) => [...text(name), kind, ...u32(index)])),
    ...section(
      9,
      module.elements.map(({ table, offset, functions }) => [
        ...(table === 0 ? [0] : [2, ...u32(table)]),
        ...[0x41, ...s32(offset), 0x0b],
        ...(table === 0 ? [] : [0]),
        ...u32(functions.length),
        ...functions.flatMap(u32),
      ]),
    ),
    ...section(10, module.bodies.map(sized)),
    ...section(11, module.data.map(({ offset, bytes }) => Uint8Array.from([0, 0x41, ...s32(offset), 0x0b, ...sized(bytes)]))),
  ];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a module says to import something: `type` as in the binary format. */
export const importOf = (where, name, kind, type) => ({ raw: Uint8Array.from([...text(where), ...text(name), kind, ...type]) });

// Tells which constant data the first module needs, from what the linker knew: it writes down where every constant lies
// and which instruction or other constant points at it (`--emit-relocs`). Addresses stay what they are through
// wasm-bindgen and wasm-opt, so a number in the finished code that can be an address of a constant is taken for one.
import { walk } from './code.mjs';
import { parse, Reader } from './module.mjs';

/** Relocations whose value is an address in memory, and all that carry an addend. */
const ADDRESS = new Set([3, 4, 5, 11, 14, 15, 16, 17, 22]);
const WITH_ADDEND = new Set([...ADDRESS, 8, 9, 21, 23]);
/** A hole of fewer bytes costs more than the bytes. */
const HOLE = 8;

/** The symbols of the linker; those that are data have an address and a size. */
function symbols(bytes, segments) {
  const reader = new Reader(bytes);
  if (reader.u32() !== 2) throw new Error('another version of the linking section');
  const found = { symbols: [], segments: [] };
  while (reader.at < bytes.length) {
    const [id, size] = [reader.byte(), reader.u32()];
    const end = reader.at + size;
    if (id === 5) found.segments = reader.list(() => ({ name: reader.name(), align: reader.u32(), flags: reader.u32() }));
    if (id === 8) {
      found.symbols = reader.list(() => {
        const [kind, flags] = [reader.byte(), reader.u32()];
        const undefinedHere = flags & 0x10;
        if (kind === 3) return reader.u32() && undefined;
        if (kind !== 1) {
          reader.u32();
          if (!undefinedHere || flags & 0x40) reader.name();
          return undefined;
        }
        const name = reader.name();
        if (undefinedHere) return undefined;
        const [segment, offset, length] = [reader.u32(), reader.u32(), reader.u32()];
        // Absolute symbols lie in no segment.
        return segments[segment] && { name, segment, from: segments[segment].offset + offset, to: segments[segment].offset + offset + length };
      });
    }
    reader.at = end;
  }
  return found;
}

function relocations(bytes) {
  const reader = new Reader(bytes);
  reader.u32();
  return reader.list(() => {
    const [type, offset, symbol] = [reader.byte(), reader.u32(), reader.u32()];
    const addend = WITH_ADDEND.has(type) ? reader.s32() : 0;
    return { type, offset, symbol, addend };
  });
}

/** Where the contents of the data section begin in its bytes, for each segment. */
function places(bytes) {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const [id, size] = [reader.byte(), reader.u32()];
    const start = reader.at;
    if (id === 11) {
      return reader.list(() => {
        reader.u32();
        reader.byte();
        const offset = reader.s32();
        reader.byte();
        const length = reader.u32();
        const from = reader.at - start;
        reader.take(length);
        return { from, to: from + length, offset };
      });
    }
    reader.at = start + size;
  }
  return [];
}

/**
 * @param {ReturnType<typeof parse>} module the finished module
 * @param {Uint8Array} linked the module as the linker made it, with its relocations
 * @param {(index: number) => number} partOf
 * @param {number} count how many parts there are
 * @returns {object[][] | undefined} the data segments of each part; nothing where the linker wrote no relocations
 */
export function dataOf(module, linked, partOf, count) {
  const before = parse(linked);
  const linking = before.custom.get('linking');
  const ofCode = before.custom.get('reloc.CODE');
  const ofData = before.custom.get('reloc.DATA');
  if (!linking || !ofCode || !ofData) return undefined;
  const known = symbols(linking, before.data);
  const constant = known.segments.map(({ name }) => name.startsWith('.rodata'));
  const list = known.symbols.filter((symbol) => symbol && symbol.to > symbol.from).sort((a, b) => a.from - b.from || a.to - b.to);

  // Which symbols an address can mean: those that it lies in, and what the linker says of this number (the end of one, say).
  const said = new Map();
  for (const { type, symbol, addend } of relocations(ofCode)) {
    const target = known.symbols[symbol];
    if (!ADDRESS.has(type) || !target) continue;
    const value = (target.from + addend) >>> 0;
    if (!said.has(value)) said.set(value, new Set());
    said.get(value).add(target);
  }
  const longest = list.reduce((most, { from, to }) => Math.max(most, to - from), 0);
  const around = (address) => {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].from <= address) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let place = low - 1; place >= 0 && list[place].from >= address - longest; place -= 1) if (list[place].to > address) found.push(list[place]);
    return found;
  };

  // From constant to constant.
  const segmentPlaces = places(linked);
  const points = new Map();
  for (const { type, offset, symbol, addend } of relocations(ofData)) {
    const target = known.symbols[symbol];
    if (!ADDRESS.has(type) || !target) continue;
    const place = segmentPlaces.find(({ from, to }) => offset >= from && offset < to);
    const address = place.offset + offset - place.from;
    for (const owner of around(address)) {
      if (!points.has(owner)) points.set(owner, []);
      points.get(owner).push(target, ...around(target.from + addend));
    }
  }

  // The part of a constant: the one that alone needs it, else the first. What can change stays in the first.
  const belongs = new Map();
  const need = (symbol, part) => {
    const open = [[symbol, part]];
    while (open.length > 0) {
      const [next, wanted] = open.pop();
      const before = belongs.get(next);
      const now = before === undefined || before === wanted ? wanted : 0;
      if (before === now) continue;
      belongs.set(next, now);
      for (const target of points.get(next) ?? []) open.push([target, now]);
    }
  };
  for (const symbol of list) if (!constant[symbol.segment]) need(symbol, 0);
  const [low, high] = [Math.min(...before.data.map(({ offset }) => offset)), Math.max(...before.data.map(({ offset, bytes }) => offset + bytes.length))];
  for (const [index, body] of module.bodies.entries()) {
    walk(body, (kind, value) => {
      if (kind !== 'number' && kind !== 'offset') return;
      for (const symbol of said.get(value) ?? []) need(symbol, partOf(index));
      if (value >= low && value <= high) for (const symbol of around(value)) need(symbol, partOf(index));
    });
  }
  // What nothing seems to need: either the code that did is gone, or it says so in a way that is not known here.
  const NOBODY = 255;
  const partAt = new Uint8Array(high - low).fill(NOBODY);
  for (const symbol of list) {
    const part = belongs.get(symbol) ?? 0;
    for (let place = symbol.from - low; place < symbol.to - low; place += 1) partAt[place] = partAt[place] === NOBODY || partAt[place] === part ? part : 0;
  }
  const at = (address) => (partAt[address - low] === NOBODY ? 0 : (partAt[address - low] ?? 0));
  return Array.from({ length: count }, (_, part) =>
    module.data.flatMap(({ offset, bytes }) => pieces(offset, bytes, (place) => at(place + offset) === part)),
  );
}

/** The bytes that are wanted, as segments; a small hole is filled with what lies there. */
function pieces(offset, bytes, wanted) {
  const found = [];
  let open;
  for (let place = 0; place < bytes.length; place += 1) {
    if (!wanted(place)) continue;
    if (open && place - open.to <= HOLE) open.to = place + 1;
    else found.push((open = { from: place, to: place + 1 }));
  }
  return found.map(({ from, to }) => ({ offset: offset + from, bytes: bytes.subarray(from, to) }));
}

// Walks over the instructions of a function's body and gives every place that names a function or an address.
import { Reader, s32, u32 } from './module.mjs';

const BLOCKS = [0x02, 0x03, 0x04];
/** Instructions followed by one index that is none of a function's. */
const ONE_INDEX = [0x0c, 0x0d, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40];
/** After 0xfc: how many indices follow. */
const PREFIXED = new Map([[10, 2], [11, 1], [12, 2], [14, 2], [15, 1], [16, 1], [17, 1]]);

/** Where the instructions begin: behind the locals. */
export function behindLocals(body) {
  const reader = new Reader(body);
  reader.list(() => [reader.u32(), reader.byte()]);
  return reader.at;
}

/**
 * Calls `visit(kind, value, from, to)` for every function index ('call', 'ref'), every number that could be an address
 * ('number') and every offset of a load or store ('offset'), with the place of the number in the body.
 */
export function walk(body, visit) {
  const reader = new Reader(body, behindLocals(body));
  while (reader.at < body.length) {
    const opcode = reader.byte();
    const from = reader.at;
    if (opcode === 0x10 || opcode === 0x12 || opcode === 0xd2) {
      const index = reader.u32();
      visit(opcode === 0xd2 ? 'ref' : 'call', index, from, reader.at);
    } else if (opcode === 0x41) {
      const value = reader.s32();
      visit('number', value >>> 0, from, reader.at);
    } else if (opcode >= 0x28 && opcode <= 0x3e) {
      if (reader.u32() & 0x40) throw new Error('more than one memory');
      const at = reader.at;
      visit('offset', reader.u32(), at, reader.at);
    } else if (BLOCKS.includes(opcode) || ONE_INDEX.includes(opcode)) reader.skipNumber();
    else if (opcode === 0x42) {
      // wasm-opt packs an address and a length into one number.
      const value = reader.s64();
      visit('number', Number(value & 0xffffffffn), from, from);
      visit('number', Number((value >> 32n) & 0xffffffffn), from, from);
    }
    else if (opcode === 0x43) reader.take(4);
    else if (opcode === 0x44) reader.take(8);
    else if (opcode === 0x11 || opcode === 0x13) {
      reader.skipNumber();
      reader.skipNumber();
    } else if (opcode === 0x0e) {
      reader.list(() => reader.skipNumber());
      reader.skipNumber();
    } else if (opcode === 0x1c) reader.list(() => reader.byte());
    else if (opcode === 0xd0) reader.skipNumber();
    else if (opcode === 0xfc) {
      const which = reader.u32();
      if (which === 8 || which === 9 || which === 13) throw new Error('the code copies data segments by itself');
      if (which > 17) throw new Error(`instruction 0xfc ${which}`);
      for (let left = PREFIXED.get(which) ?? 0; left > 0; left -= 1) reader.skipNumber();
    } else if (opcode > 0xc4 || (opcode > 0x11 && opcode < 0x1a) || (opcode > 0x05 && opcode < 0x0b)) {
      if (opcode !== 0xd1) throw new Error(`instruction 0x${opcode.toString(16)} at ${from}`);
    }
  }
}

/** What follows 0x41 and 0x10. */
export const number = (value) => [0x41, ...s32(value)];
export const call = (index) => [0x10, ...u32(index)];

/** The body with other function indices. */
export function renumber(body, index) {
  const places = [];
  walk(body, (kind, value, from, to) => {
    if (kind === 'call' || kind === 'ref') places.push({ value, from, to });
  });
  if (places.length === 0) return body;
  const parts = [];
  let at = 0;
  for (const { value, from, to } of places) {
    parts.push(body.subarray(at, from), Uint8Array.from(u32(index(value))));
    at = to;
  }
  parts.push(body.subarray(at));
  return Buffer.concat(parts);
}

// The difference of two texts as one replacement.

/**
 * The smallest single replacement that makes `after` of `before`, never within a surrogate pair. A change this small
 * keeps the caret, the marks and the undo history of what it does not touch.
 * @param {string} before
 * @param {string} after
 * @returns {{from: number, to: number, insert: string} | null} UTF-16 offsets in `before`; null when the texts are equal
 */
export function smallestChange(before, after) {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  if (from > 0 && isHighSurrogate(before.charCodeAt(from - 1))) from -= 1;
  let same = 0;
  while (same < shorter - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  if (same > 0 && isLowSurrogate(before.charCodeAt(before.length - same))) same -= 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

const isHighSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

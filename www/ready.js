// Whether the whole program is there. The first view needs a part of it only; the rest follows (split.js). A build whose
// program is in one piece says nothing about it and is always ready.

export const isReady = () => globalThis.playgroundRest?.ready ?? true;

/** @returns {Promise<void>} fulfilled as soon as `isReady` */
export async function whenReady() {
  await globalThis.playgroundRest?.whenReady;
}

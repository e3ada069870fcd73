import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallestChange } from '../../www/editor/change.js';

const applied = (before, { from, to, insert }) => before.slice(0, from) + insert + before.slice(to);

test('equal texts need no change', () => {
  assert.equal(smallestChange('kind: Node\n', 'kind: Node\n'), null);
});

test('only what differs is replaced', () => {
  assert.deepEqual(smallestChange('image: agent:v1\nname: a\n', 'image: agent:v2\nname: a\n'), { from: 14, to: 15, insert: '2' });
});

test('an insertion between two equal letters takes nothing away', () => {
  assert.deepEqual(smallestChange('aa', 'aaa'), { from: 2, to: 2, insert: 'a' });
  assert.deepEqual(smallestChange('aaa', 'aa'), { from: 2, to: 3, insert: '' });
});

test('a surrogate pair is never cut', () => {
  // The two faces share their first UTF-16 unit, the face and the heart of another plane their second.
  assert.deepEqual(smallestChange('a\u{1f600}b', 'a\u{1f601}b'), { from: 1, to: 3, insert: '\u{1f601}' });
  const change = smallestChange('a\u{1f600}b', 'a\u{1fa00}b');
  assert.equal(applied('a\u{1f600}b', change), 'a\u{1fa00}b');
  assert.deepEqual([change.from, change.to], [1, 3]);
});

test('whatever the texts, the change leads from one to the other', () => {
  const texts = ['', 'a', 'ab', 'ba', 'aba', 'a\nb\n', '\u{1f600}', '\u{1f600}\u{1f601}', 'x\u{1f601}', '\u{10600}'];
  for (const before of texts) {
    for (const after of texts) {
      const change = smallestChange(before, after);
      assert.equal(change ? applied(before, change) : before, after);
    }
  }
});

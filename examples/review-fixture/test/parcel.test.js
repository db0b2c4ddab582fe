import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParcel } from '../src/parcel.js';

test('a parcel beyond three metres of girth is bulky', () => {
  const parcel = createParcel({ weightGrams: 900, lengthMm: 1200, widthMm: 500, heightMm: 500 });
  assert.equal(parcel.isBulky, true);
});

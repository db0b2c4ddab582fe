import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceOf } from '../src/pricing.js';
import { zoneOf } from '../src/zones.js';

test('a light parcel at home costs the base price and one kilogram', () => {
  assert.equal(zoneOf('DE'), 0);
  assert.equal(priceOf({ weightGrams: 800, country: 'DE' }), 550);
});

test('a bulky parcel costs more', () => {
  assert.equal(priceOf({ weightGrams: 800, country: 'DE', isBulky: true }), 2050);
});

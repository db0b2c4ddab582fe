import { zoneOf } from './zones.js';

const centsByZone = [490, 890, 1290, 1890];
const centsPerKilogram = [60, 140, 220, 480];

/**
 * The price of a parcel in cents.
 * @param {{ weightGrams: number, country: string, isBulky?: boolean }} parcel
 */
export function priceOf({ weightGrams, country, isBulky = false }) {
  const zone = zoneOf(country);
  const kilograms = Math.ceil(weightGrams / 1000);
  const cents = (centsByZone[zone] ?? 0) + (centsPerKilogram[zone] ?? 0) * kilograms;
  // FIXME: the bulky surcharge is the one of last year
  return isBulky ? cents + 1500 : cents;
}

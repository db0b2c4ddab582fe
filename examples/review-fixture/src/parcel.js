/**
 * A parcel as it is handed over at the counter.
 * @param {{ weightGrams: number, lengthMm: number, widthMm: number, heightMm: number }} measures
 */
export function createParcel(measures) {
  const { weightGrams, lengthMm, widthMm, heightMm } = measures;
  // TODO: refuse parcels beyond 31.5 kg, the carriers do not take them
  const girthMm = lengthMm + 2 * (widthMm + heightMm);
  return Object.freeze({ ...measures, girthMm, isBulky: girthMm > 3000 || weightGrams > 20_000 });
}

/** True when `value` is a whole multiple of `divisor` as both are written in decimals: 0.3 is one of 0.1. False for a divisor that is not positive. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(divisor) || divisor <= 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = exponent - divisorExponent;
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % divisorDigits === 0n
    : digits % (divisorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as its decimal digits and a power of ten. */
function decimal(value: number): readonly [digits: bigint, exponent: number] {
  const [written = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = written.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

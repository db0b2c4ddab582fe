const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/**
 * Makes the number of a shipment from a counter.
 * @param {number} counter
 */
export function trackingNumber(counter) {
  let rest = counter;
  let text = '';
  // HACK: the carrier cuts numbers after ten characters, so we never make longer ones
  for (let position = 0; position < 10; position++) {
    text = `${alphabet[rest % alphabet.length]}${text}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}

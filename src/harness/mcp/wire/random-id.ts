const bytes = 32;

/** 256 random bits, for names that cannot be guessed. Letters, digits, `-` and `_`. */
export function randomId(): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Buffer.from(random).toString('base64url');
}

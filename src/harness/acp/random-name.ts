const letters = 'bcdfghjkmnpqrstvwxz';
const length = 8;

/** Some random letters, for a name that no tool has. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}

/**
 * The lines of a stream of text; the last one is what follows the last line feed. Only a line feed ends one: the readers of lines of some versions
 * of Node split at characters that are part of a text, too.
 */
export async function* linesOf(stream: AsyncIterable<string>): AsyncGenerator<string> {
  // Parts of a line that is longer than what comes at once.
  let parts: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.split('\n');
    parts.push(first);
    for (const line of others) {
      yield parts.join('');
      parts = [line];
    }
  }
  yield parts.join('');
}

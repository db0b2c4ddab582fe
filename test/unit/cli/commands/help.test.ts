import { describe, expect, it } from 'vitest';
import { definitions } from '../../../../src/cli/commands/command-tree.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';

function helpOf(argv: readonly string[], columns?: number): string {
  const request = readArguments(argv, { columns });
  if (request.kind !== 'help') throw new Error(JSON.stringify(request));
  return request.text;
}

const names = [...definitions.keys()];
const pages = [[], ...names.map((name) => [name])];

describe('help', () => {
  it.each(pages)('of %s is as it was written', async (...words) => {
    const name = ['wink', ...words].join('-');
    for (const columns of [40, 80, 100]) {
      await expect(helpOf(['help', ...words], columns)).toMatchFileSnapshot(
        `../../../fixtures/golden/help/${name}-${columns}.txt`,
      );
    }
  });

  it.each(pages)('of %s is the same in every spelling, and has 80 columns in a pipe', (...words) => {
    const text = helpOf(['help', ...words]);
    expect(helpOf([...words, '--help'])).toBe(text);
    expect(helpOf([...words, '-h'], 80)).toBe(text);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('has 40 columns at least and 100 at most', () => {
    for (const words of pages) {
      expect(helpOf(['help', ...words], 10)).toBe(helpOf(['help', ...words], 40));
      expect(helpOf(['help', ...words], 300)).toBe(helpOf(['help', ...words], 100));
    }
  });

  it('names every command once, with what it takes', () => {
    const text = helpOf(['help']);
    for (const name of names) expect(text.match(new RegExp(`^ {2}${name}( |$)`, 'gm')), name).toHaveLength(1);
  });

  it('of a command that there is not is refused', () => {
    expect(readArguments(['help', 'veiw'])).toEqual({
      kind: 'usage-error',
      message: 'unknown command "veiw". Did you mean "view"?',
      command: undefined,
    });
  });

  it('answers a command line without words, as an error', () => {
    expect(readArguments([])).toEqual({ kind: 'help', text: helpOf(['help']), isError: true });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../../src/cli/process/split-words.ts';
import { substituteVariables } from '../../../../src/cli/process/substitute-variables.ts';

describe('the words of a command', () => {
  it.each<[string, readonly string[]]>([
    ['npx -y server', ['npx', '-y', 'server']],
    ['  a\t b ', ['a', 'b']],
    ['"/opt/My App/server" --name \'a b\'', ['/opt/My App/server', '--name', 'a b']],
    ['a"b c"d', ['ab cd']],
    ['""', ['']],
    ['C:\\tools\\x.exe \\n', ['C:\\tools\\x.exe', '\\n']],
    ['a;b | c $(d) `e`', ['a;b', '|', 'c', '$(d)', '`e`']],
    ['run ${DIR:-a b}/x "${Y}"', ['run', '${DIR:-a b}/x', '${Y}']],
    ['${open', ['${open']],
    ['', []],
  ])('of %s are %j', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it('are none when a quote does not end', () => {
    expect(splitWords('a "b')).toBeUndefined();
    expect(splitWords("it's")).toBeUndefined();
  });

  it('are those that were quoted', () => {
    const word = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '$', ';', '\\', "'") });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitWords(words.map((each) => `"${each}"`).join(' '))).toEqual(words);
      }),
    );
  });
});

describe('variables in a text', () => {
  const variables = { A: 'one', EMPTY: '', DOLLAR: '${A}' };

  it.each<[string, string]>([
    ['${A}-${A}', 'one-one'],
    ['${EMPTY}|${EMPTY:-x}|${NONE:-y z}|${NONE:-}', '|x|y z|'],
    ['${DOLLAR}', '${A}'],
    ['$A ${} ${1} {A} $${A}', '$A ${} ${1} {A} $one'],
  ])('%s is %s', (text, result) => {
    expect(substituteVariables(text, variables)).toBe(result);
  });

  it('must be set', () => {
    expect(substituteVariables('${A} ${NONE} ${OTHER}', variables)).toEqual({ missing: 'NONE' });
    expect(substituteVariables('${toString}', variables)).toEqual({ missing: 'toString' });
  });
});

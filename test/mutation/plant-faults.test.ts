import { describe, expect, it } from 'vitest';
import { constant, does, type Fault, replaces, returns } from './faults.ts';
import { plantFaults, switchName } from './plant-faults.ts';
import { parseSource } from './syntax-tree.ts';

const counter = parseSource(
  'session/counter.ts',
  `
const limit = 3;
export class Counter {
  #count = 0;
  get isFull(): boolean {
    return this.#count >= limit;
  }
  add(by: number, { twice }: { twice?: boolean } = {}): number {
    if (this.isFull) return this.#count;
    if (by > limit) return 0;
    this.#count += twice ? 2 * by : by;
    return this.#count;
  }
}
export const double = (value: number): number => value * 2;
function hidden() { return 1; }
export const twoCalls = () => hidden() + hidden();
`,
);
const other = parseSource(
  'filesystem/other.ts',
  'export function double(value: number) { return 2 * value; }',
);

/** The module with the fault in it, which is on if `active` is its name. */
async function load(fault: Fault, active: string) {
  const text = plantFaults([counter, other], [{ name: 'fault', fault }]).get(counter.path);
  if (text === undefined) throw new Error('Nothing was planted.');
  // The types of the module above, taken out by hand.
  const code = text
    .replaceAll(/: (boolean|number|\{ twice\?: boolean \})(?=[ ,)=])/g, '')
    .replaceAll('(value: number)', '(value)');
  const url = `data:text/javascript,${encodeURIComponent(`const ${switchName} = '${active}';${code}`)}`;
  return (await import(/* @vite-ignore */ url)) as {
    readonly Counter: new () => { isFull: boolean; add(by: number, options?: object): number };
    readonly double: (value: number) => number;
  };
}

const problemOf = (fault: Fault): string => {
  try {
    plantFaults([counter, other], [{ name: 'fault', fault }]);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a planted fault', () => {
  it.each<[string, Fault, number, number]>([
    ['returns a value', returns('Counter.add', '7'), 2, 7],
    ['returns a value of a parameter', returns('Counter.add', '$0 * 100'), 2, 200],
    ['returns a value when something holds', returns('Counter.add', '7', '$0 === 2'), 2, 7],
    ['returns none when it does not hold', returns('Counter.add', '7', '$0 === 9'), 2, 2],
    ['stands in a getter', returns('Counter.isFull', 'true'), 2, 0],
    ['does something first', does('Counter.add', '$0 += 1;'), 2, 3],
    ['changes a constant', constant('limit', '1'), 2, 0],
    ['changes a condition', replaces('Counter.add', 'condition', ['isFull'], 'true'), 2, 0],
    ['changes a comparison', replaces('Counter.add', 'comparison', ['by', 'limit'], '!$it'), 2, 0],
    ['changes a choice', replaces('Counter.add', 'choice', ['twice'], '50'), 2, 50],
  ])('%s', async (_name, fault, given, expected) => {
    expect(new (await load(fault, 'fault')).Counter().add(given)).toBe(expected);
    expect(new (await load(fault, 'another')).Counter().add(given)).toBe(given);
  });

  it('stands in a function that is one expression', async () => {
    const fault = returns('session/double', '0', '$0 > 1');
    const { double } = await load(fault, 'fault');
    expect([double(1), double(2)]).toEqual([2, 0]);
  });

  it('stands inside another', () => {
    const inner = { name: 'inner', fault: replaces('Counter.add', 'comparison', ['by', 'limit'], 'true') };
    const outer = { name: 'outer', fault: replaces('Counter.add', 'condition', ['by', 'limit'], 'false') };
    for (const faults of [
      [inner, outer],
      [outer, inner],
    ]) {
      const text = plantFaults([counter], faults).get(counter.path);
      expect(() => parseSource('planted.ts', text ?? '(')).not.toThrow();
      expect(text?.match(/\$fault/g)).toHaveLength(2);
    }
  });
});

describe('a fault without a place', () => {
  it.each<[Fault, string]>([
    [returns('Counter.remove', '1'), 'there is no function Counter.remove.'],
    [
      returns('double', '1'),
      'there is more than one function double: in session/counter.ts, filesystem/other.ts.',
    ],
    [constant('bound', '1'), 'there is no constant bound.'],
    [does('session/double', 'throw 1;'), 'the function session/double has no statements.'],
    [returns('Counter.add', '1', '$1.twice'), 'its parameter 1 has no name.'],
    [
      replaces('Counter.add', 'condition', ['size'], '1'),
      'there is no condition in Counter.add that mentions size.',
    ],
    [
      replaces('twoCalls', 'call', ['hidden'], '1'),
      'there is more than one call in twoCalls that mentions hidden.',
    ],
  ])('is named with what was looked for: %j', (fault, problem) => {
    expect(problemOf(fault)).toBe(`Faults without a place:\n"fault": ${problem}`);
  });

  it('is named together with the others', () => {
    const faults = ['one', 'two'].map((name) => ({ name, fault: constant(name, '1') }));
    expect(() => plantFaults([counter], faults)).toThrow(
      'Faults without a place:\n"one": there is no constant one.\n"two": there is no constant two.',
    );
  });
});

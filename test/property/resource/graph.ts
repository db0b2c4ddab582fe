import * as fc from 'fast-check';
import type { ResourceScope } from 'weakincentives';

/** How often something fails: never, the first time, always. */
export type Faults = 0 | 1 | 'always';

/** One binding of a drawn graph. */
export interface Node {
  readonly scope: ResourceScope;
  readonly eager: boolean;
  /** Nodes that the factory asks for. Circles are drawn as well. */
  readonly needs: readonly number[];
  /** Asks for all of them at the same time, instead of one after the other. */
  readonly together: boolean;
  /** Fails before it asks for anything, instead of at its end. */
  readonly failsEarly: boolean;
  readonly factoryFaults: Faults;
  readonly hookFaults: Faults | 'none';
  readonly disposer: 'asyncDispose' | 'dispose' | 'close';
  readonly disposeFails: boolean;
  /** Microtasks that pass inside factory, hook and disposer. */
  readonly steps: number;
}

export interface LookUp {
  readonly node: number;
  /** A call scope, or the root. */
  readonly call: number | undefined;
  readonly steps: number;
}

/** What happens to a container over one session. Times are microtasks from the start of the look-ups. */
export interface Program {
  readonly nodes: readonly Node[];
  readonly starts: boolean;
  readonly lookUps: readonly LookUp[];
  /** When each call ends; undefined: when nothing happens any more. */
  readonly callEnds: readonly (number | undefined)[];
  readonly runEnds: number | undefined;
  readonly sessionEnds: number | undefined;
}

const faults = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Faults>(0) },
  { weight: 1, arbitrary: fc.constantFrom<Faults>(1, 'always') },
);
const steps = fc.nat({ max: 5 });
const moment = fc.option(fc.nat({ max: 40 }), { nil: undefined, freq: 2 });

function node(count: number, index: number, circles: boolean): fc.Arbitrary<Node> {
  const others = Array.from({ length: circles ? count : index }, (_, other) => other);
  return fc
    .record({
      scope: fc.constantFrom<ResourceScope>('singleton', 'singleton', 'tool-call', 'prototype'),
      eager: fc.boolean(),
      needs:
        others.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...others), { maxLength: 3 }),
      together: fc.boolean(),
      failsEarly: fc.boolean(),
      factoryFaults: faults,
      hookFaults: fc.oneof(fc.constant<'none'>('none'), faults),
      disposer: fc.constantFrom<Node['disposer']>('asyncDispose', 'dispose', 'close'),
      disposeFails: fc.nat({ max: 5 }).map((drawn) => drawn === 0),
      steps,
    })
    .map((drawn) => ({ ...drawn, eager: drawn.eager && drawn.scope === 'singleton' }));
}

const callCount = 2;

/** @param interrupted whether calls, run and session may end while something is being built. */
export function program(interrupted: boolean): fc.Arbitrary<Program> {
  const end = interrupted ? moment : fc.constant(undefined);
  return fc
    .record({
      count: fc.integer({ min: 1, max: 6 }),
      circles: fc.nat({ max: 3 }).map((drawn) => drawn === 0),
    })
    .chain(({ count, circles }) =>
      fc.record<Program>({
        nodes: fc.tuple(...Array.from({ length: count }, (_, index) => node(count, index, circles))),
        starts: fc.boolean(),
        lookUps: fc.array(
          fc.record<LookUp>({
            node: fc.nat({ max: count - 1 }),
            call: fc.option(fc.nat({ max: callCount - 1 }), { nil: undefined, freq: 3 }),
            steps: fc.nat({ max: interrupted ? 30 : 8 }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        callEnds: fc.array(end, { minLength: callCount, maxLength: callCount }),
        runEnds: end,
        sessionEnds: end,
      }),
    );
}

/**
 * The codes that a look-up may fail with; empty: it has to succeed. Where there is a circle, it depends on who asked first
 * whether the circle is found or a tool-call resource on it that a singleton must not ask for.
 *
 * @param options.flaky counts what fails once, too.
 */
export function possibleFailures(
  nodes: readonly Node[],
  index: number,
  options: { readonly inCall: boolean; readonly flaky: boolean },
): ReadonlySet<string> {
  const codes = failuresBelow(nodes, index, options, []);
  if (!reachesCircle(nodes, index, [])) return codes;
  const scoped = nodes.some(({ scope }) => scope === 'tool-call') ? ['resource-scope-invalid'] : [];
  return new Set([...codes, 'resource-cyclic', ...scoped]);
}

function failuresBelow(
  nodes: readonly Node[],
  index: number,
  options: { readonly inCall: boolean; readonly flaky: boolean },
  above: readonly number[],
): ReadonlySet<string> {
  const { scope, needs, factoryFaults, hookFaults } = nodeAt(nodes, index);
  if (scope === 'tool-call' && !options.inCall) return new Set(['resource-scope-invalid']);
  if (above.includes(index)) return new Set(['resource-cyclic']);
  const codes = new Set<string>();
  const fails = (what: Faults | 'none'): boolean => what === 'always' || (what === 1 && options.flaky);
  if (fails(factoryFaults)) codes.add('resource-factory-failed');
  if (fails(hookFaults)) codes.add('resource-after-create-failed');
  const inner = { ...options, inCall: options.inCall && scope !== 'singleton' };
  for (const need of needs) {
    for (const code of failuresBelow(nodes, need, inner, [...above, index])) codes.add(code);
  }
  return codes;
}

function reachesCircle(nodes: readonly Node[], index: number, above: readonly number[]): boolean {
  if (above.includes(index)) return true;
  return nodeAt(nodes, index).needs.some((need) => reachesCircle(nodes, need, [...above, index]));
}

function nodeAt(nodes: readonly Node[], index: number): Node {
  const found = nodes[index];
  if (found === undefined) throw new Error(`There is no node ${index}.`);
  return found;
}

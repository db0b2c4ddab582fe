import * as fc from 'fast-check';

/** What a handler of the batch does, step by step as data. `read` tools change nothing, `external` ones run alone. */
export const operations = {
  read: [
    'read',
    'readBytes',
    'list',
    'stat',
    'glob',
    'grep',
    'readCounter',
    'readNotes',
    'readKey',
    'readKeys',
    'readLog',
    'readInvocations',
    'readThatWrites',
    'readThatWritesFiles',
    'readAccount',
    'readAccounts',
    'readThatWritesAccounts',
    'delegateRead',
  ],
  state: [
    'write',
    'create',
    'appendFile',
    'edit',
    'move',
    'copy',
    'remove',
    'removeTree',
    'removeChild',
    'removeDirectory',
    'mkdir',
    'writeThenList',
    'fill',
    'increment',
    'incrementThenRead',
    'readModifyWrite',
    'note',
    'noteThenCount',
    'noteCounter',
    'noteCounterThenRead',
    'spend',
    'spendCaught',
    'putKey',
    'putKeyThenRead',
    'bumpKey',
    'modifyKey',
    'countKeys',
    'countKeysThenRead',
    'clearNotes',
    'restoreSession',
    'restoreFiles',
    'putAccount',
    'modifyAccount',
    'modifyAccountAndFile',
    'hang',
    'lateWrite',
    'delegate',
    'delegateSpend',
  ],
  external: ['externalReadModifyWrite', 'externalWrite', 'externalModifyAccount', 'externalDelegate'],
} as const;

export type Operation = (typeof operations)[keyof typeof operations][number];

const allOperations: readonly Operation[] = [
  ...operations.read,
  ...operations.state,
  ...operations.state,
  ...operations.external,
];

/** Operations that look at the structure of the files and change it. */
const structureOperations: readonly Operation[] = [
  'list',
  'glob',
  'grep',
  'write',
  'create',
  'fill',
  'move',
  'copy',
  'remove',
  'removeTree',
  'removeChild',
  'removeDirectory',
  'mkdir',
  'restoreFiles',
];

/** Operations that make room and take it. */
const spaceOperations: readonly Operation[] = [
  'fill',
  'fill',
  'create',
  'mkdir',
  'remove',
  'removeTree',
  'removeChild',
  'removeDirectory',
];

/** Operations on the slices of the session, whose reducers look at them and refuse. */
const sessionOperations: readonly Operation[] = [
  'readCounter',
  'readNotes',
  'increment',
  'readModifyWrite',
  'noteCounter',
  'spend',
  'spendCaught',
  'countKeys',
  'countKeysThenRead',
  'putKey',
  'restoreSession',
  'delegate',
  'delegateSpend',
];

/** How the handler of a call ends. */
export const endings = ['ok', 'ok', 'ok', 'ok', 'failure', 'throw', 'garbage', 'badOutput'] as const;

export const paths = ['a', 'b', 'd', 'd/x', 'd/y', 'd/x/z'] as const;

/** One call of a batch, as the arguments of its tool. */
export interface CallSpec {
  readonly operation: Operation;
  readonly path: (typeof paths)[number];
  readonly target: (typeof paths)[number];
  readonly key: string;
  readonly value: number;
  /** Rounds through the scheduler before and in the middle of the work. */
  readonly before: number;
  readonly between: number;
  readonly ending: (typeof endings)[number];
  readonly guarded: boolean;
  /** JSON text of the turns that an evaluation inside the call makes: specs without further ones inside. */
  readonly inner: string;
}

/** Everything one run starts from. */
export interface Batch {
  readonly files: Readonly<Record<string, string>>;
  /** Directories beside those of the files, empty. */
  readonly directories: readonly string[];
  readonly maxBytes: number;
  readonly turns: readonly (readonly CallSpec[])[];
}

/** A call whose operation and paths are places in the few that its batch works with, so that calls meet. */
interface Draft extends Omit<CallSpec, 'operation' | 'path' | 'target' | 'inner'> {
  readonly operationAt: number;
  readonly pathAt: number;
  readonly targetAt: number;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  operationAt: fc.nat(59),
  pathAt: fc.nat(59),
  targetAt: fc.nat(59),
  key: fc.constantFrom('k1', 'k2'),
  value: fc.integer({ min: 0, max: 9 }),
  before: fc.integer({ min: 0, max: 3 }),
  between: fc.integer({ min: 0, max: 3 }),
  ending: fc.constantFrom(...endings),
  guarded: fc.boolean(),
});

/** A call, and those that it makes in an evaluation inside it if its operation does that. */
interface OuterDraft extends Draft {
  readonly inner: readonly (readonly Draft[])[];
}

const outerDraft: fc.Arbitrary<OuterDraft> = fc
  .tuple(draft, fc.array(fc.array(draft, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }))
  .map(([own, inner]) => ({ ...own, inner }));

const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('A batch needs something to choose from.');
  return item;
};

const someOf = (from: readonly Operation[]): fc.Arbitrary<readonly Operation[]> =>
  fc.array(fc.constantFrom(...from), { minLength: 2, maxLength: 6 });

/** Random batches: one to three turns of two to seven calls with a few operations on a few paths. */
export const batches: fc.Arbitrary<Batch> = fc
  .record({
    files: fc.constantFrom<Readonly<Record<string, string>>>(
      {},
      { a: 'alpha one\n', 'd/x': 'delta one\n' },
      { a: 'alpha one\n', b: 'beta two\n', 'd/x': 'delta one\n', 'd/y': 'delta two\n' },
      { 'd/x/z': 'deep one\n' },
    ),
    directories: fc.constantFrom<readonly string[]>([], ['d']),
    maxBytes: fc.constantFrom(60, 120, 100_000),
    // What rarely meets among all operations meets among related ones.
    operations: fc.oneof(
      { weight: 2, arbitrary: someOf(allOperations) },
      { weight: 1, arbitrary: someOf(structureOperations) },
      { weight: 1, arbitrary: someOf(spaceOperations) },
      { weight: 1, arbitrary: someOf(sessionOperations) },
    ),
    paths: fc.array(fc.constantFrom(...paths), { minLength: 1, maxLength: 3 }),
    turns: fc.array(fc.array(outerDraft, { minLength: 2, maxLength: 7 }), { minLength: 1, maxLength: 3 }),
  })
  .map(({ files, directories, maxBytes, operations: chosen, paths: places, turns }) => {
    const placed = ({ operationAt, pathAt, targetAt, ...rest }: Draft): Omit<CallSpec, 'inner'> => ({
      ...rest,
      operation: at(chosen, operationAt),
      path: at(places, pathAt),
      target: at(places, targetAt),
    });
    const inside = (calls: readonly Draft[]): readonly CallSpec[] =>
      calls.map((call) => ({ ...placed(call), inner: '[]' }));
    return {
      files,
      directories,
      maxBytes,
      turns: turns.map((calls) =>
        calls.map(({ inner, ...call }) => {
          const spec = placed(call);
          const isDelegating = spec.operation.toLowerCase().includes('delegate');
          return { ...spec, inner: JSON.stringify(isDelegating ? inner.map(inside) : []) };
        }),
      ),
    };
  });

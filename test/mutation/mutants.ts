import type { Mutant } from './mutant-library.ts';

/** The comparison of one kind of read, switched off. */
const unread = (file: string, kind: string, find: string, replace: string): Mutant => ({
  name: `${file.split('/')[0]} read ${kind}`,
  file,
  find,
  replace,
});

const sessionReads: readonly Mutant[] = [
  ['slice', 'slice: lookChanged,', 'slice: () => false,'],
  ['log', 'log: lookChanged,', 'log: () => false,'],
  ['key', 'key: lookChanged,', 'key: () => false,'],
  [
    'reducer-view',
    "'reducer-view': ({ look }, base, present) => lookChanged(look, base, present)",
    "'reducer-view': () => false",
  ],
  [
    'reducer-items',
    "'reducer-items': ({ look }, base, present) => lookChanged(look, base, present)",
    "'reducer-items': () => false",
  ],
  [
    'refusal',
    'refusal: ({ look }, base, present) => lookChanged(look, base, present)',
    'refusal: () => false',
  ],
  [
    'acceptance',
    'acceptance: ({ look }, base, present) => lookChanged(look, base, present)',
    'acceptance: () => false',
  ],
  [
    'restore',
    'restore: ({ slices }, base, present) => slices.some((slice) => wholeChanged(slice, base, present))',
    'restore: () => false',
  ],
].map(([kind = '', find = '', replace = '']) => unread('session/fork/read-set', kind, find, replace));

const fileReads: readonly Mutant[] = [
  ['file', 'return hasFileChanged(read, moment);'],
  ['kind', 'return hasKindChanged(read.path, moment);'],
  ['listing', 'return hasListingChanged(read, moment);'],
  ['emptiness', 'return hasEmptinessChanged(read, moment);'],
  ['names', 'return haveNamesChanged(read, moment);'],
  ['glob', 'return hasGlobChanged(read, moment);'],
  ['grep', 'return hasGrepChanged(read, moment);'],
  ['tree', 'return hasTreeChanged(read, moment);'],
  ['quota', 'return hasQuotaChanged(read, moment);'],
  ['quota-refusal', 'return hasQuotaRefusalChanged(read, moment);'],
].map(([kind = '', find = '']) => unread('filesystem/fork/read-set', kind, find, 'return false;'));

const commitRules: readonly Mutant[] = [
  {
    name: 'conflicts are not looked at',
    file: 'runtime/call/tool-call-run',
    find: 'if (changed.length > 0) {',
    replace: 'if (false) {',
  },
  {
    name: 'the reads of failed calls do not count',
    file: 'runtime/call/tool-call-run',
    find: 'attempt.effectsStand ? none : attempt.transaction.conflicts()',
    replace: "attempt.effectsStand || verdict.kind === 'failed' ? none : attempt.transaction.conflicts()",
  },
  {
    name: 'a call is tried once only',
    file: 'runtime/call/tool-call-run',
    find: 'const maxAttempts = 3;',
    replace: 'const maxAttempts = 1;',
  },
  {
    name: 'calls commit in the order in which they end',
    file: 'runtime/call/turn-scheduler',
    find: 'if (index > this.#position) {',
    replace: 'if (index < 0) {',
  },
  {
    name: 'a call with effects outside is no barrier',
    file: 'runtime/call/tool-call-run',
    find: "this.#resolution.resolved.bound.tool.effects === 'external'",
    replace: 'false',
  },
  {
    name: 'what a failed call changed is kept',
    file: 'runtime/call/tool-call-run',
    find: "reached.kind === 'succeeded' ? transaction?.patch() : this.#survivingLog()",
    replace: 'transaction?.patch()',
  },
  {
    name: 'what a failed call logged is lost',
    file: 'runtime/call/tool-call-run',
    find: 'return this.#attempt?.transaction.discardedPatch();',
    replace: 'return undefined;',
  },
  {
    name: 'what a superseded attempt logged is kept',
    file: 'runtime/call/tool-call-run',
    find: 'await superseded.discard();',
    replace:
      'await superseded.discard(); this.#environment.roots.session.apply(superseded.transaction.discardedPatch().session);',
  },
  {
    name: 'a handler keeps its session after its end',
    file: 'session/fork/fork',
    find: "if (this.#isClosed || (this.#isSealed && part === 'handler')) {",
    replace: 'if (false) {',
  },
  {
    name: 'session changes are not replayed on a newer state',
    file: 'session/fork/fork',
    find: 'present.slices !== this.#base.slices',
    replace: 'false',
  },
  {
    name: 'log entries are not put on a newer log',
    file: 'session/fork/fork',
    find: '{ ...next, logs: withLog(this.#parent, present, patch.log).logs }',
    replace: 'next',
  },
  {
    name: 'file changes are not put on a newer tree',
    file: 'filesystem/fork/tree-cell',
    find: 'origin?.target === this && origin.base === this.#root',
    replace: 'origin?.target === this',
  },
  {
    name: 'an inner evaluation works on the committed files',
    file: 'evaluation/scope/evaluation-scope',
    find: 'return { filesystem, aliases: [...outer.aliases, ...view] };',
    replace: 'return { filesystem: outer.aliases[0], aliases: [...outer.aliases, ...view] };',
  },
  {
    name: 'an inner evaluation commits into the root session',
    file: 'evaluation/nested/nested-evaluator',
    find: 'apply: (patch) => sessionFork.apply(patch),',
    replace: 'apply: (patch) => ground.host.apply(patch),',
  },
  {
    name: 'inner calls may do more than the call around them',
    file: 'runtime/tool-call',
    find: 'effectsRank[effects] > effectsRank[outer.effects]',
    replace: 'false',
  },
  {
    name: 'file changes are not committed',
    file: 'runtime/call/transaction',
    find: 'patch.files === undefined ?',
    replace: 'true ?',
  },
];

const resourceRules: readonly Mutant[] = [
  {
    name: 'conflicts of resources are not looked at',
    file: 'resource/resource-forks',
    find: 'transaction.conflicts?.() ?? []',
    replace: '[]',
  },
  {
    name: 'what a call changed in a resource is not committed',
    file: 'resource/resource-forks',
    find: 'part.transaction.commit()',
    replace: 'undefined',
  },
  {
    name: 'what a tool that may only read changed in a resource is committed',
    file: 'runtime/call/transaction',
    find: 'if (!this.#readOnly)',
    replace: 'if (true)',
  },
  {
    name: 'a handler keeps its resources after its end',
    file: 'resource/resource-forks',
    find: 'transaction.close?.();',
    replace: '',
  },
  {
    name: 'a resource is not rolled back',
    file: 'resource/resource-forks',
    find: 'await part.transaction.rollback();',
    replace: '',
    accounts: 'snapshots',
  },
  {
    name: 'a resource that joins one transaction at a time is used by many calls at once',
    file: 'runtime/call/turn-scheduler',
    find: 'isSerial(environment) ? 1 : environment.concurrency',
    replace: 'environment.concurrency',
    accounts: 'snapshots',
  },
];

/** One fault for each kind of read and for each rule of the commit. */
export const mutants: readonly Mutant[] = [...sessionReads, ...fileReads, ...commitRules, ...resourceRules];

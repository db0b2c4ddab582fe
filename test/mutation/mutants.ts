import type { AccountsMode } from '../property/parallel/accounts.ts';
import { constant, does, type NamedFault, replaces, returns } from './faults.ts';

/** A fault that the property of parallel calls must notice. */
export interface Mutant extends NamedFault {
  /** How the resource of the calls joins their transactions where the fault shows. Default: `'parallel'`. */
  readonly accounts?: AccountsMode;
}

/** One kind of read never counts as changed. */
const unread = (part: string, kind: string): Mutant => ({
  name: `${part} read ${kind}`,
  fault: returns(`core/${part}/hasChanged`, 'false', `$0.kind === '${kind}'`),
});

const sessionReads: readonly Mutant[] = [
  'slice',
  'log',
  'key',
  'reducer-view',
  'reducer-items',
  'refusal',
  'acceptance',
  'restore',
].map((kind) => unread('session', kind));

const fileReads: readonly Mutant[] = [
  'file',
  'kind',
  'listing',
  'emptiness',
  'names',
  'glob',
  'grep',
  'tree',
  'quota',
  'quota-refusal',
].map((kind) => unread('filesystem', kind));

const commitRules: readonly Mutant[] = [
  {
    name: 'conflicts are not looked at',
    fault: returns('CallTransaction.conflicts', '[]'),
  },
  {
    name: 'the reads of failed calls do not count',
    fault: returns(
      'CallRun.#stateAfter',
      "{ kind: 'settling', verdict: $0, guard: 'none' }",
      "$0?.kind === 'failed' && this.attempt !== undefined",
    ),
  },
  {
    name: 'a call is tried once only',
    fault: constant('maxAttempts', '1'),
  },
  {
    name: 'calls commit in the order in which they end',
    fault: replaces('CallScheduler.run', 'condition', ['previous'], 'false'),
  },
  {
    name: 'a call with effects outside is no barrier',
    fault: replaces('CallRun.constructor', 'comparison', ['effects'], 'false'),
  },
  {
    name: 'what a failed call changed is kept',
    fault: returns('CallTransaction.discardedPatch', 'this.patch()'),
  },
  {
    name: 'what a failed call logged is lost',
    fault: returns('CallRun.#survivingLog', 'undefined'),
  },
  {
    name: 'what a superseded attempt logged is kept',
    fault: does(
      'CallRun.#repeat',
      'this.#environment.roots.session.applyQuietly($0.transaction.discardedPatch().session)();',
    ),
  },
  {
    name: 'a handler keeps its session after its end',
    fault: replaces('CellFork.assertUsable', 'condition', ['#isSealed', 'part'], 'false'),
  },
  {
    name: 'session changes are not replayed on a newer state',
    fault: replaces('CellFork.#prepareFor', 'condition', ['slices'], 'false'),
  },
  {
    name: 'log entries are not put on a newer log',
    fault: replaces('CellFork.#prepareFor', 'condition', ['logs'], 'false'),
  },
  {
    name: 'file changes are not put on a newer tree',
    fault: replaces('TreeCell.apply', 'comparison', ['base', '#root'], 'true'),
  },
  {
    name: 'an inner evaluation works on the committed files',
    fault: returns('innerFiles', '{ filesystem: $1.aliases[0], aliases: [...$1.aliases, $0.filesystem] }'),
  },
  {
    name: 'an inner evaluation commits into the root session',
    fault: replaces('innerScope', 'call', ['sessionFork', 'apply'], 'scope.host.apply(patch)'),
  },
  {
    name: 'inner calls may do more than the call around them',
    fault: replaces('resolveCall', 'condition', ['effectsRank'], 'false'),
  },
  {
    name: 'file changes are not committed',
    fault: replaces('core/runtime/applyPatch', 'condition', ['files'], 'true'),
  },
];

const resourceRules: readonly Mutant[] = [
  {
    name: 'conflicts of resources are not looked at',
    fault: returns('ResourceForks.conflicts', '[]'),
  },
  {
    name: 'what a call changed in a resource is not committed',
    fault: returns('ResourceForks.commit', 'undefined'),
  },
  {
    name: 'what a tool that may only read changed in a resource is committed',
    fault: replaces('CallTransaction.commitResources', 'condition', ['#readOnly'], 'true'),
  },
  {
    name: 'a handler keeps its resources after its end',
    fault: returns('ResourceForks.#revokeView', 'undefined'),
  },
  {
    name: 'a resource is not rolled back',
    fault: returns('ResourceForks.rollback', '[]'),
    accounts: 'snapshots',
  },
  {
    name: 'a resource that joins one transaction at a time is used by many calls at once',
    fault: replaces('CallScheduler.constructor', 'comparison', ['serialResources'], 'false'),
    accounts: 'snapshots',
  },
];

/** One fault for each kind of read and for each rule of the commit. */
export const mutants: readonly Mutant[] = [...sessionReads, ...fileReads, ...commitRules, ...resourceRules];

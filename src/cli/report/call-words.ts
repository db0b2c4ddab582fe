import type { RecordedApproval, ShadowFinding } from '../../runtime/index.ts';
import { clip, printable } from '../process/plain-text.ts';
import type { TextTone } from '../process/text-style.ts';
import { type CallRecord, depthOf } from './call-record.ts';

/** What became of a call, in words that are safe to print. */
export interface CallWords {
  readonly outcome: string;
  /** What else there is to know: conflicts, questions, findings of policies, what stands. */
  readonly facts: readonly string[];
  readonly tone: TextTone;
}

/** How much is said. */
export interface WordLimits {
  /** Characters of what one tool, policy or person said. */
  readonly said: number;
  /** Things of one kind that are named; the others are counted. */
  readonly named: number;
}

/** Everything there is to say. */
export const noWordLimits: WordLimits = {
  said: Number.POSITIVE_INFINITY,
  named: Number.POSITIVE_INFINITY,
};

/** What to say of a call: first what became of it, then the facts around that. */
export function describeCall(record: CallRecord, limits: WordLimits): CallWords {
  const { standing, shadow } = record;
  const told = outcomeOf(record, limits);
  const facts = [
    ...told.facts,
    ...approvalFacts(record, limits),
    ...listed(shadow, limits.named, (finding) => shadowText(finding, limits)),
    ...(standing.length === 0
      ? []
      : [`left standing: ${listed(standing, limits.named, (thing) => quoted(thing, limits)).join(', ')}`]),
  ];
  const tone = told.tone === 'good' && shadow.length > 0 ? 'warning' : told.tone;
  return { outcome: told.outcome, facts, tone };
}

function outcomeOf(record: CallRecord, limits: WordLimits): CallWords {
  // The tool is named beside it.
  const said = quoted(whatWasSaid(record).replace(/^The tool "[^"]*" failed: /, ''), limits);
  const again = record.attempts > 1 ? `${changedText(record, limits)} (attempt ${record.attempts})` : '';
  const before = again === '' ? [] : [`re-run before: ${again}`];
  switch (record.outcome) {
    case 'committed': {
      const { undoneWith } = record;
      const end = undoneWith === undefined ? 'committed' : `committed, then undone with call ${undoneWith}`;
      return again === ''
        ? { outcome: end, facts: [], tone: undoneWith === undefined ? 'good' : 'warning' }
        : { outcome: `re-run, then ${end}: ${again}`, facts: [], tone: 'warning' };
    }
    case 'denied':
      return { outcome: deniedText(record, said, limits), facts: before, tone: 'bad' };
    case 'rejected':
      return { outcome: `rejected: ${said}`, facts: before, tone: 'bad' };
    case 'aborted': {
      // Within a call there are more reasons than the end of the run.
      const why = depthOf(record) === 0 ? 'the run was stopped' : said;
      return { outcome: `rolled back: ${why}`, facts: before, tone: 'bad' };
    }
    case 'rolled-back':
      return { outcome: `rolled back: ${said}`, facts: before, tone: 'bad' };
    case 'hosted':
      return { outcome: `run by the provider${said === '' ? '' : `: ${said}`}`, facts: [], tone: 'good' };
    case 'hosted-failed':
      return { outcome: `failed at the provider${said === '' ? '' : `: ${said}`}`, facts: [], tone: 'bad' };
    case 'hosted-denied':
      return { outcome: `not approved for the provider: ${said}`, facts: [], tone: 'bad' };
  }
}

function deniedText({ policy, approvals }: CallRecord, said: string, limits: WordLimits): string {
  const by = `denied by ${printable(policy ?? 'a policy')}`;
  const refusal = approvals.find(({ approved }) => !approved);
  if (refusal === undefined) return `${by}: ${said}`;
  const answer = refusal.answer === undefined ? 'no' : quoted(refusal.answer, limits);
  return `${by}, which asked${aboutText(refusal)}: ${quoted(refusal.reason, limits)} - the answer: ${answer}`;
}

function approvalFacts({ approvals }: CallRecord, limits: WordLimits): readonly string[] {
  const given = approvals.filter(({ approved }) => approved);
  return listed(given, limits.named, (approval) => {
    return `approved for ${printable(approval.policy)}${aboutText(approval)}: ${quoted(approval.reason, limits)}`;
  });
}

function aboutText({ about }: RecordedApproval): string {
  return about === 'changes' ? ' (its changes)' : '';
}

/** What a policy would have done, in words. */
function shadowText({ outcome, policy, reason }: ShadowFinding, limits: WordLimits): string {
  const verb = outcome === 'deny' ? 'denied' : 'asked about';
  return `would have been ${verb} by ${printable(policy)}: ${quoted(reason, limits)}`;
}

/** What had changed under superseded attempts. */
export function changedText(
  { conflicts }: { readonly conflicts: readonly string[] },
  { named }: WordLimits,
): string {
  const names = [...new Set(conflicts)];
  if (names.length === 0) return 'conflict';
  return `${listed(names, named, printable).join(', ')} had changed`;
}

/** The message of a call, without the words of a denial that are said anyway. */
export function whatWasSaid(record: Pick<CallRecord, 'message'>): string {
  return record.message.replace(
    /^The call of "[^"]*" (?:was denied by the policy "[^"]*": |needs approval by the policy "[^"]*" )/,
    '',
  );
}

/** The first line of what someone said. */
function quoted(text: string, { said }: WordLimits): string {
  return clip(printable(text.trim().split('\n', 1)[0] ?? ''), said);
}

function listed<Item>(
  items: readonly Item[],
  named: number,
  describe: (item: Item) => string,
): readonly string[] {
  const rest = items.length - named;
  return [...items.slice(0, named).map(describe), ...(rest > 0 ? [`${rest} more`] : [])];
}

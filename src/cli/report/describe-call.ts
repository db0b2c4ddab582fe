import { counted } from '../../internal/index.ts';
import type { RecordedApproval, UnenforcedDecision } from '../../runtime/index.ts';
import { clip, printable, readableDuration } from '../process/plain-text.ts';
import type { TextTone } from '../process/text-style.ts';
import type { BareEvent, LocatedEvent } from './call-log.ts';
import { type CallRecord, depthOf, hostedFindings, hostedSubject } from './call-record.ts';

/** What became of a call, in words that are safe to print. */
export interface CallDescription {
  readonly outcome: string;
  /** What else there is to know: conflicts, questions, findings of policies, what stands. */
  readonly facts: readonly string[];
  readonly tone: TextTone;
}

/** How much is said. */
export interface DescriptionLimits {
  /** Characters of what one tool, policy or person said. */
  readonly said: number;
  /** Things of one kind that are named; the others are counted. */
  readonly named: number;
}

/** Everything there is to say. */
export const noLimits: DescriptionLimits = {
  said: Number.POSITIVE_INFINITY,
  named: Number.POSITIVE_INFINITY,
};

/** What fits in a row of a table or in a line of news. */
export const briefLimits: DescriptionLimits = { said: 100, named: 3 };

/** What to say of a call: first what became of it, then the facts around that. */
export function describeCall(record: CallRecord, limits: DescriptionLimits): CallDescription {
  const { residualEffects, unenforced } = record;
  const told = outcomeOf(record, limits);
  const facts = [
    ...told.facts,
    ...approvalFacts(record, limits),
    ...listed(unenforced, limits.named, (finding) => unenforcedText(finding, limits)),
    ...(residualEffects.length === 0
      ? []
      : [
          `left standing: ${listed(residualEffects, limits.named, (thing) => quoted(thing, limits)).join(', ')}`,
        ]),
  ];
  const tone = told.tone === 'good' && unenforced.length > 0 ? 'warning' : told.tone;
  return { outcome: told.outcome, facts, tone };
}

function outcomeOf(record: CallRecord, limits: DescriptionLimits): CallDescription {
  // The tool is named beside it.
  const said = quoted(messageWithoutDenial(record).replace(/^The tool "[^"]*" failed: /, ''), limits);
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

function deniedText({ policy, approvals }: CallRecord, said: string, limits: DescriptionLimits): string {
  const by = `denied by ${printable(policy ?? 'a policy')}`;
  const refusal = approvals.find(({ approved }) => !approved);
  if (refusal === undefined) return `${by}: ${said}`;
  const answer = refusal.answer === undefined ? 'no' : quoted(refusal.answer, limits);
  return `${by}, which asked${aboutText(refusal)}: ${quoted(refusal.reason, limits)} - the answer: ${answer}`;
}

function approvalFacts({ approvals }: CallRecord, limits: DescriptionLimits): readonly string[] {
  const given = approvals.filter(({ approved }) => approved);
  return listed(given, limits.named, (approval) => {
    return `approved for ${printable(approval.policy)}${aboutText(approval)}: ${quoted(approval.reason, limits)}`;
  });
}

function aboutText({ about }: RecordedApproval): string {
  return about === 'changes' ? ' (its changes)' : '';
}

/** What a policy would have done, in words. */
function unenforcedText({ outcome, policy, reason }: UnenforcedDecision, limits: DescriptionLimits): string {
  const verb = outcome === 'deny' ? 'denied' : 'asked about';
  return `would have been ${verb} by ${printable(policy)}: ${quoted(reason, limits)}`;
}

/** What had changed under superseded attempts. */
export function changedText(
  { conflicts }: { readonly conflicts: readonly string[] },
  { named }: DescriptionLimits,
): string {
  const names = [...new Set(conflicts)];
  if (names.length === 0) return 'conflict';
  return `${listed(names, named, printable).join(', ')} had changed`;
}

/** The message of a call, without the words of a denial that are said anyway. */
export function messageWithoutDenial(record: Pick<CallRecord, 'message'>): string {
  return record.message.replace(
    /^The call of "[^"]*" (?:was denied by the policy "[^"]*": |needs approval by the policy "[^"]*" )/,
    '',
  );
}

/** The first line of what someone said. */
function quoted(text: string, { said }: DescriptionLimits): string {
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

/** Where in the run something happens: `turn 2`, `turn 2, call 3.1`. */
export function placeOf({ turn, call, around }: LocatedEvent): string {
  const nearest = call ?? around.at(-1);
  return nearest === undefined ? `turn ${turn}` : `turn ${turn}, call ${nearest.number}`;
}

/**
 * What is worth a line whoever watches: a model that cannot answer, a call that runs again, what is asked and answered,
 * what a policy would have done, what the model is told from the side, and what became of a call that was not committed. One line, safe to print; undefined for
 * everything else.
 *
 * @param clean takes out of a text what must not be shown.
 */
export function newsOf(sighting: LocatedEvent, clean: (text: string) => string): string | undefined {
  const news = newsText(sighting, clean);
  return news === undefined ? undefined : `${placeOf(sighting)}: ${news}`;
}

/** {@link newsOf} without the place. */
export function newsText(
  { event, call, record }: LocatedEvent,
  clean: (text: string) => string,
): string | undefined {
  const said = (text: string): string => quoted(clean(text), briefLimits);
  const toolName = printable(call?.toolName ?? '');
  switch (event.type) {
    case 'model-call-retry':
      return `the model could not answer (${event.reason}), asked again in ${readableDuration(event.delayMs)}`;
    case 'tool-call-retry': {
      const conflicts = event.conflicts.map(clean);
      return `${toolName} runs again: ${changedText({ conflicts }, briefLimits)} (attempt ${event.attempt})`;
    }
    case 'approval-start':
      return `${printable(event.policy)} asks about ${approvalSubject(event)}: ${said(event.reason)}`;
    case 'approval-end': {
      const answer = event.answer === undefined ? '' : `: ${said(event.answer)}`;
      return `${approvalSubject(event)} ${event.approved ? 'approved' : 'not approved'} for ${printable(event.policy)}${answer}`;
    }
    case 'policy-unenforced': {
      const verb = event.outcome === 'deny' ? 'denied' : 'asked about';
      return `${printable(event.policy)} would have ${verb} ${toolName}: ${said(event.reason)}`;
    }
    case 'feedback-recorded':
      if (event.outcome === 'silent') return undefined;
      return event.outcome === 'given'
        ? `${printable(event.provider)} tells the model: ${said(event.message)}`
        : `${printable(event.provider)} has no feedback, it failed: ${said(event.error.message)}`;
    case 'hosted-tool-called': {
      const { output, citations } = event;
      const what = `${printable(event.toolName)} ${said(hostedSubject(output))}`.trimEnd();
      const found = said(hostedFindings(output, citations));
      const ran = output.status === 'completed' ? 'ran' : 'failed to run';
      return `the provider ${ran} ${what}${found === '' ? '' : ` (${found})`}`;
    }
    case 'hosted-approval-answered': {
      const answer = event.reason === undefined ? '' : `: ${said(event.reason)}`;
      const may = event.approved ? 'may' : 'may not';
      return `the provider ${may} run ${printable(event.toolName)} ${said(event.name)}${answer}`;
    }
    case 'tool-results-dropped':
      return `the conversation had outgrown the model, ${counted(event.callIds.length, 'tool result')} became a note`;
    case 'turns-dropped':
      return `${counted(event.turns, 'turn')} of the conversation had to make room`;
    case 'output-rejected':
      return `the answer was not accepted, asked again: ${said(event.problem)}`;
    case 'completion-checked':
      return event.outcome === 'complete'
        ? undefined
        : `not done by ${printable(clean(event.checker))}: ${said(event.feedback ?? '')}`;
    case 'tool-call-end': {
      if (record === undefined || record.outcome === 'committed') return undefined;
      // The questions and what policies would have done were told when they came up.
      const { outcome, facts } = describeCall({ ...record, approvals: [], unenforced: [] }, briefLimits);
      return [`${toolName} ${outcome}`, ...facts].join('; ');
    }
    default:
      return undefined;
  }
}

function approvalSubject({ toolName, about }: Pick<Asked, 'toolName' | 'about'>): string {
  return about === 'changes' ? `what ${printable(toolName)} changed` : printable(toolName);
}

type Asked = Extract<BareEvent, { readonly type: 'approval-start' }>;

/** Calls that a model asks for: `3 calls (2 × read_file, ls)`. */
export function requestedCallsText(event: Extract<BareEvent, { readonly type: 'model-call-end' }>): string {
  const counts = new Map<string, number>();
  for (const { name } of event.toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools = [...counts].map(([name, count]) => printable(count === 1 ? name : `${count} × ${name}`));
  return `${counted(event.toolCalls.length, 'call')} (${tools.join(', ')})`;
}

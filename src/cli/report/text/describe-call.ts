import { counted, cutAtWord, formatNumber } from '../../../core/internal/index.ts';
import type { RecordedApproval, RunEvent, UnenforcedDecision } from '../../../core/runtime/index.ts';
import { failureLine } from '../../../record/index.ts';
import { firstOf, printable, readableDuration } from '../../process/plain-text.ts';
import type { TextTone } from '../../process/text-style.ts';
import { depthOf, type EndedCall, hostedFindings, hostedSubject } from '../calls/call.ts';
import type { LocatedEvent } from '../calls/call-log.ts';

/** The description of a call, safe to print. */
export interface CallDescription {
  readonly outcome: string;
  /** Details: conflicts, approvals, decisions not enforced, remaining effects. */
  readonly facts: readonly string[];
  readonly tone: TextTone;
}

/** Limits of a description. */
export interface DescriptionLimits {
  /** Maximum characters of one message. */
  readonly said: number;
  /** Maximum items of one kind that are named; the rest is counted. */
  readonly named: number;
}

/** Without limits. */
export const noLimits: DescriptionLimits = {
  said: Number.POSITIVE_INFINITY,
  named: Number.POSITIVE_INFINITY,
};

/** For a row of a table or a line of progress. */
export const briefLimits: DescriptionLimits = { said: 160, named: 3 };

/** What a tool with effects outside may have left, as calls record it. It is said once for a tool, not of each call. */
export const outsideEffects = 'effects outside session, files and resources';

/** Describes a call: its outcome, then the details. */
export function describeCall(record: EndedCall, limits: DescriptionLimits): CallDescription {
  const { unenforced } = record;
  const residualEffects = record.residualEffects.filter((effect) => effect !== outsideEffects);
  const main = outcomeOf(record, limits);
  const facts = [
    ...main.facts,
    ...approvalFacts(record, limits),
    ...firstOf(unenforced, limits.named, (finding) => unenforcedText(finding, limits)),
    ...(residualEffects.length === 0
      ? []
      : [
          `remaining effects: ${firstOf(residualEffects, limits.named, (thing) => quoted(thing, limits)).join(', ')}`,
        ]),
  ];
  const tone = main.tone === 'good' && unenforced.length > 0 ? 'warning' : main.tone;
  return { outcome: main.outcome, facts, tone };
}

function outcomeOf(record: EndedCall, limits: DescriptionLimits): CallDescription {
  // The tool is named beside the message.
  const said = quoted(failureLine(record), limits);
  const again = record.attempts > 1 ? changedText(record, limits) : '';
  const before = again === '' ? [] : [`it ran ${record.attempts} times: ${again}`];
  switch (record.outcome) {
    case 'committed': {
      const { undoneWith } = record;
      const end = undoneWith === undefined ? 'committed' : `committed, then undone with call ${undoneWith}`;
      return again === ''
        ? { outcome: end, facts: [], tone: undoneWith === undefined ? 'good' : 'warning' }
        : {
            // Not a fault: it came after another call, on what that left.
            outcome: `${end}, on new state: ${again}`,
            facts: [],
            tone: undoneWith === undefined ? 'good' : 'warning',
          };
    }
    case 'denied':
      return { outcome: deniedText(record, said, limits), facts: before, tone: 'bad' };
    case 'rejected':
      return { outcome: `rejected: ${said}`, facts: before, tone: 'bad' };
    case 'aborted': {
      if (record.reason === 'in-doubt')
        return {
          outcome: 'in doubt: it began before the interruption and may have taken effect',
          facts: before,
          tone: 'bad',
        };
      if (record.reason === 'interrupted-repeatedly')
        return { outcome: 'not made again: it ended the process repeatedly', facts: before, tone: 'bad' };
      // An inner call can be stopped for reasons other than the end of the run.
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

function deniedText({ policy, approvals }: EndedCall, said: string, limits: DescriptionLimits): string {
  const by = `denied by ${printable(policy ?? 'a policy')}`;
  const refusal = approvals.find(({ approved }) => !approved);
  if (refusal === undefined) return `${by}: ${said}`;
  const answer = refusal.answer === undefined ? 'no' : quoted(refusal.answer, limits);
  return `${by}, which asked for approval${aboutText(refusal)}: ${quoted(refusal.reason, limits)} - the answer: ${answer}`;
}

function approvalFacts({ approvals }: EndedCall, limits: DescriptionLimits): readonly string[] {
  const given = approvals.filter(({ approved }) => approved);
  return firstOf(given, limits.named, (approval) => {
    return `approved for ${printable(approval.policy)}${aboutText(approval)}: ${quoted(approval.reason, limits)}`;
  });
}

function aboutText({ about }: RecordedApproval): string {
  return about === 'changes' ? ' (its changes)' : '';
}

/** A description of what a policy would have decided. */
function unenforcedText({ outcome, policy, reason }: UnenforcedDecision, limits: DescriptionLimits): string {
  const verb = outcome === 'deny' ? 'denied' : 'asked about';
  return `would have been ${verb} by ${printable(policy)}: ${quoted(reason, limits)}`;
}

/** The changes that caused superseded attempts. */
export function changedText(
  { conflicts }: { readonly conflicts: readonly string[] },
  { named }: DescriptionLimits,
): string {
  const names = [...new Set(conflicts)];
  if (names.length === 0) return 'conflict';
  return `${firstOf(names, named, printable).join(', ')} had changed`;
}

/** The first line of a message. */
function quoted(text: string, { said }: DescriptionLimits): string {
  return cutAtWord(printable(text.trim().split('\n', 1)[0] ?? ''), said);
}

/** Position in the run: `turn 2`, `turn 2, call 3.1`. */
export function placeOf({ turn, call, outerCalls }: LocatedEvent): string {
  const nearest = call ?? outerCalls.at(-1);
  return nearest === undefined ? `turn ${turn}` : `turn ${turn}, call ${nearest.number}`;
}

/**
 * The line for an event worth reporting in any output: a retried model call, a conversation that was shortened, a re-run call, an approval and its answer, a
 * decision that was not enforced, feedback to the model, and a call that was not committed. One line, safe to print;
 * undefined for all other events.
 *
 * @param clean removes what must not be shown from a text.
 */
export function newsOf(sighting: LocatedEvent, clean: (text: string) => string): string | undefined {
  const news = newsText(sighting, clean);
  return news === undefined ? undefined : `${placeOf(sighting)}: ${news}`;
}

/** {@link newsOf} without the place. */
export function newsText({ event, call }: LocatedEvent, clean: (text: string) => string): string | undefined {
  const said = (text: string): string => quoted(clean(text), briefLimits);
  const toolName = printable(call?.toolName ?? '');
  switch (event.type) {
    case 'model-call-retry':
      return `the model call failed (${event.reason}), retrying in ${readableDuration(event.delayMs)}`;
    case 'model-changed':
      return `${printable(event.from)} could not answer (${event.reason}), continuing with ${printable(event.to)}`;
    case 'run-resumed': {
      const changed = event.changed.length === 0 ? '' : `; changed since: ${said(event.changed.join(', '))}`;
      const { interruptions = 0 } = event;
      const lives = interruptions === 0 ? '' : ` and ${counted(interruptions, 'interruption')}`;
      return `the run continues after ${counted(event.commits, 'commit')}${lives}${changed}`;
    }
    case 'tool-call-retry': {
      const conflicts = event.conflicts.map(clean);
      return `${toolName} runs again: ${changedText({ conflicts }, briefLimits)} (attempt ${event.attempt})`;
    }
    case 'approval-start':
      return `${printable(event.policy)} asks for approval of ${approvalSubject(event)}: ${said(event.reason)}`;
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
        ? `${printable(event.provider)} gives feedback: ${said(event.message)}`
        : `${printable(event.provider)} failed to give feedback: ${said(event.error.message)}`;
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
      return `the conversation exceeded the context window, ${counted(event.callIds.length, 'tool result')} replaced by a note`;
    case 'model-call-end':
      return modelCallNews(event);
    case 'input-taken':
      return `${event.by === undefined ? 'someone' : printable(clean(event.by))} said: ${said(event.text)}`;
    case 'turns-dropped':
      return `${counted(event.turns, 'turn')} of the conversation dropped to make room`;
    case 'context-compacted':
      return `the conversation was compacted: about ${formatNumber(event.inputTokensBefore)} tokens became ${formatNumber(event.inputTokensAfter)}, ${counted(event.turns, 'turn')} left`;
    case 'output-rejected':
      return `the answer was rejected, asking again: ${said(event.problem)}`;
    case 'completion-checked':
      return event.outcome === 'complete'
        ? undefined
        : `not complete according to ${printable(clean(event.checker))}: ${said(event.feedback ?? '')}`;
    case 'tool-call-end': {
      if (call?.outcome === undefined || call.outcome === 'committed') return undefined;
      // Approvals and decisions that were not enforced have been reported when they happened.
      const reported = { ...call, outcome: call.outcome, approvals: [], unenforced: [] };
      const { outcome, facts } = describeCall(reported, briefLimits);
      return [`${toolName} ${outcome}`, ...facts].join('; ');
    }
    default:
      return undefined;
  }
}

/** What the provider did beside its answer. */
function modelCallNews({
  cache,
  isCompacted,
}: Extract<RunEvent, { readonly type: 'model-call-end' }>): string | undefined {
  const shortened = isCompacted === true ? 'the provider shortened the conversation' : undefined;
  const missed = cache === undefined || cache.hit ? undefined : missText(cache);
  return [shortened, missed].filter((text) => text !== undefined).join('; ') || undefined;
}

/** `the request missed the prompt cache, about 1,200 tokens: tools_changed`. */
function missText({ missed, reason }: { readonly missed?: number; readonly reason?: string }): string {
  const tokens = missed === undefined ? '' : `, about ${formatNumber(missed)} tokens`;
  return `the request missed the prompt cache${tokens}${reason === undefined ? '' : `: ${printable(reason)}`}`;
}

function approvalSubject({ toolName, about }: Pick<Asked, 'toolName' | 'about'>): string {
  return about === 'changes' ? `what ${printable(toolName)} changed` : printable(toolName);
}

type Asked = Extract<RunEvent, { readonly type: 'approval-start' }>;

/** The calls requested by a model: `3 calls (2 × read_file, ls)`. */
export function requestedCallsText(event: Extract<RunEvent, { readonly type: 'model-call-end' }>): string {
  const counts = new Map<string, number>();
  for (const { name } of event.toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools = [...counts].map(([name, count]) => printable(count === 1 ? name : `${count} × ${name}`));
  return `${counted(event.toolCalls.length, 'call')} (${tools.join(', ')})`;
}

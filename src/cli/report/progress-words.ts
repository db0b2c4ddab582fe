import { counted } from '../../internal/index.ts';
import { clip, printable, readableDuration } from '../process/plain-text.ts';
import { toCallRecord } from './call-record.ts';
import type { BareEvent, Sighting } from './call-tracker.ts';
import { changedText, describeCall, type WordLimits } from './call-words.ts';
import { hostedFindings, hostedSubject } from './hosted-call.ts';

const limits: WordLimits = { said: 100, named: 3 };

/** Where in the run something happens: `turn 2`, `turn 2, call 3.1`. */
export function placeOf({ turn, call, around }: Sighting): string {
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
export function newsOf(sighting: Sighting, clean: (text: string) => string): string | undefined {
  const news = newsText(sighting, clean);
  return news === undefined ? undefined : `${placeOf(sighting)}: ${news}`;
}

function newsText({ event, call }: Sighting, clean: (text: string) => string): string | undefined {
  const quoted = (text: string): string =>
    clip(printable(clean(text).trim().split('\n', 1)[0] ?? ''), limits.said);
  const toolName = printable(call?.toolName ?? '');
  switch (event.type) {
    case 'model-call-retry':
      return `the model could not answer (${event.reason}), asked again in ${readableDuration(event.delayMs)}`;
    case 'tool-call-rerun': {
      const conflicts = event.conflicts.map(clean);
      return `${toolName} runs again: ${changedText({ conflicts }, limits)} (attempt ${event.attempt})`;
    }
    case 'approval-start':
      return `${printable(event.policy)} asks about ${aboutText(event)}: ${quoted(event.reason)}`;
    case 'approval-end': {
      const answer = event.answer === undefined ? '' : `: ${quoted(event.answer)}`;
      return `${aboutText(event)} ${event.approved ? 'approved' : 'not approved'} for ${printable(event.policy)}${answer}`;
    }
    case 'policy-shadow': {
      const verb = event.outcome === 'deny' ? 'denied' : 'asked about';
      return `${printable(event.policy)} would have ${verb} ${toolName}: ${quoted(event.reason)}`;
    }
    case 'feedback':
      if (event.outcome === 'silent') return undefined;
      return event.outcome === 'given'
        ? `${printable(event.provider)} tells the model: ${quoted(event.message)}`
        : `${printable(event.provider)} has no feedback, it failed: ${quoted(event.error.message)}`;
    case 'hosted-tool-call': {
      const { output, citations } = event;
      const what = `${printable(event.toolName)} ${quoted(hostedSubject(output))}`.trimEnd();
      const found = quoted(hostedFindings(output, citations));
      const ran = output.status === 'completed' ? 'ran' : 'failed to run';
      return `the provider ${ran} ${what}${found === '' ? '' : ` (${found})`}`;
    }
    case 'hosted-approval': {
      const answer = event.reason === undefined ? '' : `: ${quoted(event.reason)}`;
      const may = event.approved ? 'may' : 'may not';
      return `the provider ${may} run ${printable(event.toolName)} ${quoted(event.name)}${answer}`;
    }
    case 'tool-results-dropped':
      return `the conversation had outgrown the model, ${counted(event.callIds.length, 'tool result')} became a note`;
    case 'turns-dropped':
      return `${counted(event.turns, 'turn')} of the conversation had to make room`;
    case 'output-repair':
      return `the answer was not accepted, asked again: ${quoted(event.problem)}`;
    case 'completion-check':
      return event.outcome === 'complete'
        ? undefined
        : `not done by ${printable(clean(event.checker))}: ${quoted(event.feedback ?? '')}`;
    case 'tool-call-end': {
      if (call === undefined || event.invocation.outcome === 'committed') return undefined;
      // The questions and what policies would have done were told when they came up.
      const { approvals: _approvals, shadow: _shadow, ...invocation } = event.invocation;
      const record = toCallRecord(invocation, { call, steps: [], inner: [], clean });
      const { outcome, facts } = describeCall(record, limits);
      return [`${toolName} ${outcome}`, ...facts].join('; ');
    }
    default:
      return undefined;
  }
}

function aboutText({ toolName, about }: Pick<Asked, 'toolName' | 'about'>): string {
  return about === 'changes' ? `what ${printable(toolName)} changed` : printable(toolName);
}

type Asked = Extract<BareEvent, { readonly type: 'approval-start' }>;

/** Calls that a model asks for: `3 calls (2 × read_file, ls)`. */
export function askedText(event: Extract<BareEvent, { readonly type: 'model-call-end' }>): string {
  const counts = new Map<string, number>();
  for (const { name } of event.toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools = [...counts].map(([name, count]) => printable(count === 1 ? name : `${count} × ${name}`));
  return `${counted(event.toolCalls.length, 'call')} (${tools.join(', ')})`;
}

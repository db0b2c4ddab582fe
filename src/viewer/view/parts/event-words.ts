import type { BareEvent } from '../../../core/runtime/index.ts';
import { duration, many } from '../../model/words.ts';

/** An event of a turn as a sentence; undefined for what other parts of the page show. */
export function eventWords(event: BareEvent): string | undefined {
  switch (event.type) {
    case 'model-call-retry':
      return `Asked again after ${duration(event.delayMs)} (${event.reason}): ${event.message}`;
    case 'input-taken':
      return `${event.by ?? 'Someone'} said: ${event.text}`;
    case 'model-changed':
      return `${event.from} could not answer (${event.reason}); from here on the run asked ${event.to}: ${event.message}`;
    case 'tool-results-dropped':
      return `The conversation was too long: ${many(event.callIds.length, 'result')} became notes, ${many(event.characters, 'character')} less (${event.callIds.join(', ')}).`;
    case 'turns-dropped':
      return `${many(event.turns, 'turn')} left out of the conversation, with ${many(event.callIds.length, 'call')}.`;
    case 'context-compacted':
      return `Compacted: ${many(event.turns, 'turn')} left the conversation, the state of the run took their place; about ${many(event.inputTokensBefore, 'token')} became ${event.inputTokensAfter}.`;
    case 'output-rejected':
      return `The answer was refused, repair ${event.repair}; the model got: ${event.problem}`;
    case 'completion-checked':
      return `${event.checker} checked the answer: ${event.outcome}${event.feedback === undefined ? '' : `; the model got: ${event.feedback}`}`;
    case 'budget-exceeded':
      return 'A limit of the budget was passed; nothing more begins.';
    case 'hosted-tool-called':
      return `The provider ran ${event.toolName}.`;
    case 'hosted-approval-answered':
      return `${event.approved ? 'Approved' : 'Not approved'}: ${event.toolName} ${event.name}${event.reason === undefined ? '' : `, ${event.reason}`}`;
    case 'approval-pending':
      return `${event.policy} asks about ${event.about === 'changes' ? 'the changes of ' : ''}${event.toolName}: ${event.reason} The run ended with the question.`;
    case 'run-resumed':
      return `The run continued here, after ${many(event.commits, 'commit')}${event.interruptions === undefined ? '' : ` and ${many(event.interruptions, 'interruption')}`}${event.changed.length === 0 ? '.' : `; changed since it began: ${event.changed.join(', ')}.`}`;
    default:
      return undefined;
  }
}

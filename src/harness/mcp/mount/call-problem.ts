import { formatNumber } from '../../../core/internal/index.ts';
import type { McpCallOutcome } from '../client/call-tool.ts';
import type { McpToolEffects } from './mount-options.ts';
import { visibleText } from './untrusted-text.ts';

/** Most characters of the words of a server in the place of a result. */
const maxForeignCharacters = 2000;

/** What a model reads of a call that has no result. */
export function callProblem(
  key: string,
  outcome: Exclude<McpCallOutcome, { readonly kind: 'answered' }>,
  effects: McpToolEffects,
): string {
  const server = `The MCP server "${key}"`;
  const unknown = effects === 'read' ? '' : ' Whether it has done what was asked is not known.';
  switch (outcome.kind) {
    case 'refused':
      return `${server} refused the call. It says: ${visibleText(outcome.text, maxForeignCharacters) || 'nothing'}`;
    case 'input-required':
      return `${server} asks for input of a person, which it cannot get. Call the tool in another way, or go on without it.`;
    case 'unreadable':
      return `${server} answered with something that is not a result.${unknown}`;
    case 'timed-out': {
      const { limit, timeoutMs } = outcome.timeout;
      const how = limit === 'total' ? 'in all' : 'without reporting progress';
      return `${server} took more than ${formatNumber(timeoutMs)} ms ${how}, and the call was canceled.${unknown}`;
    }
    case 'lost':
      return `${server} ${outcome.reason} during the call.${unknown} The next call connects to it again.`;
    case 'session-unknown':
      return `${server} has ended the session, twice. Go on without it.`;
    case 'unauthorized':
      return `${server} refuses the credentials that it is sent. Go on without it.`;
  }
}

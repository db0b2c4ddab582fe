import { ModelResponseError } from '../../../core/error/index.ts';
import { fieldsIn, type WireFields } from './fields.ts';

/**
 * Refuses an answer in the format of OpenAI's Responses API that asks the client for something that it cannot give, such as a `shell_call` or a
 * `computer_call`: sent back without an answer, it makes the provider reject every later request. Calls of functions and requests for approval
 * are answered.
 *
 * @param items all items of one answer: what the provider answered itself has its output among them.
 * @param isTyped whether an item asks for a provider tool of the request. May throw for one that does in a way that cannot be.
 * @throws {ModelResponseError} `model-response-invalid`
 */
export function assertAnswerable(
  items: readonly WireFields[],
  isTyped: (item: WireFields) => boolean = () => false,
): void {
  const asking = items.filter((item) => !isTyped(item) && isAsking(item));
  if (asking.length === 0) return;
  const answered = new Set(items.filter(isOutput).map(({ call_id: callId, id }) => callId ?? id));
  const unanswered = asking.find(({ call_id: callId }) => !answered.has(callId));
  if (unanswered !== undefined) throw unansweredItem(String(unanswered['type']));
}

/** @param item names the item. */
export function unansweredItem(item: string): ModelResponseError {
  return new ModelResponseError(
    'model-response-invalid',
    `The answer has an item "${item}", which no tool of the prompt answers. Remove the tool of the provider that it belongs to, or have the prompt offer a tool of its own for it.`,
    { details: { item } },
  );
}

/**
 * Refuses a `shell_call` that is to run elsewhere: the tool is declared for commands that run here.
 *
 * @throws {ModelResponseError} `model-response-invalid`
 */
export function assertRunsHere({ environment, type }: WireFields): void {
  const place = placeOf(environment);
  if (place !== 'local') throw unansweredItem(`${String(type)} in ${place}`);
}

/** Where commands of a call are to run; without an environment, here. */
function placeOf(environment: unknown): string {
  const { type: place = 'local' } = fieldsIn(environment);
  return String(place);
}

/** Calls of functions, which are answered, and calls that the provider runs. */
const others = new Set([
  ...['function_call', 'mcp_call', 'web_search_call'],
  ...['file_search_call', 'code_interpreter_call', 'image_generation_call'],
]);

/** Only calls that the client answers have a call id; those that the provider runs have none, or say where it runs them. */
function isAsking({ type, call_id: callId, environment, execution }: WireFields): boolean {
  if (typeof type !== 'string' || !type.endsWith('_call') || others.has(type)) return false;
  if (typeof callId !== 'string') return false;
  return execution !== 'server' && placeOf(environment) === 'local';
}

function isOutput({ type }: WireFields): boolean {
  return typeof type === 'string' && type.endsWith('_output');
}

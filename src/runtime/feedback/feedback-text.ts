import type { Feedback } from './feedback-provider.ts';

/** A feedback of a provider. */
interface GivenFeedback extends Feedback {
  readonly provider: string;
}

const tag = 'wink-feedback';
/** What begins or ends a block, also with blanks in it that a reader may overlook. */
const delimiter = /<(?=[\s/]*wink-feedback)/giu;

/** Text in which no block of feedback begins or ends: the `<` of what would be one is written `&lt;`. */
export function withoutFeedbackTags(text: string): string {
  return text.replace(delimiter, '&lt;');
}

/**
 * What the model reads of a call after which feedback was given: the text of the call, then a block for each provider.
 * Only the runtime can write such a block: what would look like one in the other texts is escaped.
 */
export function withFeedback(text: string, given: readonly GivenFeedback[]): string {
  return [withoutFeedbackTags(text), ...given.map(formatFeedback)].filter((part) => part !== '').join('\n\n');
}

function formatFeedback({ provider, severity = 'info', message, suggestions = [] }: GivenFeedback): string {
  return [
    `<${tag} provider="${provider}" severity="${severity}">`,
    withoutFeedbackTags(message.trim()),
    ...suggestions.map((suggestion) => `- ${withoutFeedbackTags(oneLine(suggestion))}`),
    `</${tag}>`,
  ].join('\n');
}

/** A suggestion of two lines would look like two. */
function oneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/gu, ' ');
}

import { describeError } from '../../error/index.ts';
import { cutAtWord, oneLine, spellInvisible, startOf, wellFormedText } from '../../internal/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';

const maxSubjectCharacters = 80;
/** Nothing of what is shown lies beyond. */
const maxRead = 4096;

/**
 * What a call is about, as its tool says, in one line. A tool that throws or says no text is logged.
 *
 * @returns undefined: it says nothing, and the arguments are shown.
 * @see docs/spec/tools.md §1
 */
export function callSubject(
  tool: AnyTool | undefined,
  params: JsonObject | undefined,
  { logger, redactor }: Pick<EvaluationEnvironment, 'logger' | 'redactor'>,
): string | undefined {
  if (tool?.subject === undefined || params === undefined) return undefined;
  try {
    const said: unknown = tool.subject(params);
    if (typeof said === 'string') {
      const read = startOf(wellFormedText(said), maxRead);
      // Before it is cut: the rest of a secret would not be known as one.
      const line = spellInvisible(oneLine(redactor?.text(read) ?? read));
      return line === '' ? undefined : cutAtWord(line, maxSubjectCharacters);
    }
    // Its rejection has no other handler.
    Promise.resolve(said).catch(() => undefined);
    logger.warn('The subject of a tool is not a text; the arguments are shown.', { tool: tool.name });
  } catch (error) {
    logger.warn('The subject of a tool threw; the arguments are shown.', {
      tool: tool.name,
      error: describeError(error),
    });
  }
  return undefined;
}

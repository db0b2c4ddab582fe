import { type ErrorDetails, PromptValidationError } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import { parseTemplate } from './parse-template.ts';
import { unknownName } from './stand-in.ts';
import { isTemplateText, type TemplateText } from './template-text.ts';
import { type TemplateFunction, traceTemplate } from './trace-template.ts';

/**
 * Compiles either form of a template and checks its names; of one that is compiled already only the names are checked.
 *
 * @param what names the template in errors, such as `template of section "task"`.
 * @param names params there are; `undefined`: any (an open schema).
 * @param details go into the error, together with the placeholder.
 * @throws {PromptValidationError} when it uses a name that is not a param, has a lone dollar, does more than interpolate, or
 *   quotes a param inside a fence.
 */
export function compileTemplate(
  template: string | TemplateFunction | TemplateText,
  names: ReadonlySet<string> | undefined,
  what: string,
  details: ErrorDetails,
): TemplateText {
  const refuse = (problem: string, placeholder: string, cause?: unknown): never => {
    throw new PromptValidationError(`The ${what} ${problem}.`, {
      ...present({ cause }),
      details: { ...details, ...present({ placeholder: placeholder === '' ? undefined : placeholder }) },
    });
  };
  if (typeof template !== 'string' && typeof template !== 'function' && !isTemplateText(template)) {
    return refuse(`is a ${typeof template}; give a text or a function of placeholders`, '');
  }
  const compiled = isTemplateText(template)
    ? template
    : parseTemplate(
        typeof template === 'function' ? traceTemplate(template, names, refuse) : template,
        refuse,
      );
  for (const name of compiled.placeholders) {
    if (names !== undefined && !names.has(name)) {
      const dollar = typeof template === 'string' && /^\d/.test(name) ? ' (write $$ for a dollar)' : '';
      refuse(`${unknownName(name, names)}${dollar}`, name);
    }
  }
  const fenced = findFencedQuote(compiled);
  if (fenced !== undefined)
    refuse(`quotes "${fenced}" inside a fence; quoting adds a fence of its own, so remove that one`, fenced);
  return compiled;
}

/**
 * The first param that a template quotes inside a fence of its own. The fence that quoting adds would end that one, or not,
 * depending on the text; undefined when there is none.
 */
export function findFencedQuote({ parts }: TemplateText): string | undefined {
  let fence: string | undefined;
  let line = '';
  const endLine = (): void => {
    const [, run = '', rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/su.exec(line) ?? [];
    if (fence === undefined) fence = run === '' ? undefined : run;
    else if (run.startsWith(fence) && rest.trim() === '') fence = undefined;
    line = '';
  };
  for (const part of parts) {
    if (typeof part !== 'string') {
      if (part.isQuoted !== true) {
        line += part.name;
        continue;
      }
      endLine();
      if (fence !== undefined) return part.name;
      continue;
    }
    const [first = '', ...others] = part.split('\n');
    line += first;
    for (const next of others) {
      endLine();
      line = next;
    }
  }
  return undefined;
}

import type { TemplateText } from './template-text.ts';

/**
 * The first param that a template quotes inside a fence of its own. The fence that quoting brings would end that one, or not,
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

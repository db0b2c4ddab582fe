import { present } from '../../core/internal/index.ts';

/** The JSON Schema of one argument. */
type ArgumentSchema = Readonly<Record<string, string | number>>;

/** The schema of an argument that names a commit. */
export function revisionProperty(purpose: string, value?: string): ArgumentSchema {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 250,
    ...present({ default: value }),
    description: `${purpose} A branch, a tag, "HEAD" or a commit id; "~2" after it names an ancestor.`,
  };
}

/** The schema of an argument that names a file or directory of the workspace. */
export function pathProperty(purpose: string): ArgumentSchema {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    description: `${purpose} From the workspace root.`,
  };
}

/** The schema of the number of files to skip. */
export const skipFiles: ArgumentSchema = {
  type: 'integer',
  minimum: 0,
  default: 0,
  description: 'Changed files to skip before the first one shown.',
};

/** The schemas of a window of lines. */
export function windowProperties(maxLines: number): Readonly<Record<'offset' | 'limit', ArgumentSchema>> {
  return {
    offset: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Lines to skip before the first one shown.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: maxLines,
      default: maxLines,
      description: `Lines to show, at most ${maxLines}.`,
    },
  };
}

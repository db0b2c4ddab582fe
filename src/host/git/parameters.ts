import { present } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  integer,
  type OptionalField,
  optional,
  text,
} from '../../core/schema/index.ts';

/** An argument that names a commit. */
export function revisionField(purpose: string, byDefault?: string): Field<string> {
  return described(text, {
    minLength: 1,
    maxLength: 250,
    ...present({ default: byDefault }),
    description: `${purpose} A branch, a tag, "HEAD" or a commit id; "~2" after it names an ancestor.`,
  });
}

/** An argument that names a file or directory of the workspace. */
export function pathField(purpose: string): Field<string> {
  return described(text, {
    minLength: 1,
    maxLength: 4096,
    description: `${purpose} From the workspace root.`,
  });
}

/** How many `items`, such as `Lines`, to skip. */
export function skipField(items: string): OptionalField<number> {
  return optional(count, { default: 0, description: `${items} to skip before the first one shown.` });
}

/** How many `items`, such as `Lines`, to show. */
export function limitField(items: string, most: number): OptionalField<number> {
  return optional(integer, {
    minimum: 1,
    maximum: most,
    default: most,
    description: `${items} to show, at most ${most}.`,
  });
}

import { createRequire } from 'node:module';
import type * as jiti from 'jiti';

/**
 * Loads jiti, which translates TypeScript. By `require`: before an `import` of CommonJS, Node looks through the whole file for its exports, which takes longer
 * than running it.
 */
export function loadJiti(): typeof jiti {
  // Its types are the same in both forms.
  return createRequire(import.meta.url)('jiti') as typeof jiti;
}

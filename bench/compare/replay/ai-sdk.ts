import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Middleware" and "DevTools": answers of a model can be cached, and runs looked at.

await cell(() =>
  noSuchThing(
    'Results can be cached by middleware; runs are not recorded, so there is nothing to run again under another rule.',
  ),
);

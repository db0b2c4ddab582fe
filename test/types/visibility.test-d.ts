import { describe, expectTypeOf, it } from 'vitest';
import {
  ClearVisibility,
  isSectionOpen,
  type RunLimits,
  SectionsOpened,
  type Session,
  SetVisibility,
  type ToolContext,
  type ToolInvokedPayload,
  type Visibility,
  VisibilityOverrides,
} from 'weakincentives';
import type { ShownSection } from '../../src/core/tool/tool-invoked.ts';

/** Never called: the calls are only typed. */
function typedOnly(_calls: (session: Session, context: ToolContext) => void): void {}

describe('visibility of a session', () => {
  it('is set and cleared by typed events', () => {
    typedOnly((session) => {
      const target = { prompt: 'ns/key', section: 'guide' };
      session.dispatch(SetVisibility, { ...target, visibility: 'full' });
      session.dispatch(ClearVisibility, target);
      session.dispatch(ClearVisibility, {});
      session.dispatch(ClearVisibility, { prompt: 'ns/key' });
      // @ts-expect-error there are two visibilities
      session.dispatch(SetVisibility, { ...target, visibility: 'hidden' });
      // @ts-expect-error the visibility is missing
      session.dispatch(SetVisibility, target);
      // @ts-expect-error the section of which prompt?
      session.dispatch(ClearVisibility, { section: 'guide' });
      // @ts-expect-error nobody opens sections but the model
      session.dispatch(SectionsOpened, target);
    });
  });

  it('is read by typed items', () => {
    typedOnly((session) => {
      const item = session.slice(VisibilityOverrides).latest();
      expectTypeOf(item?.visibility).toEqualTypeOf<Visibility | undefined>();
      expectTypeOf(item?.opened?.shown).toEqualTypeOf<readonly string[] | undefined>();
      session.dispatcher.subscribe(SectionsOpened, ({ value, params }) => {
        expectTypeOf(value.shown).toExtend<readonly ShownSection[]>();
        expectTypeOf(params.reason).toEqualTypeOf<string>();
      });
    });
  });

  it('shows in records and contexts', () => {
    expectTypeOf<ToolInvokedPayload['openedSections']>().toEqualTypeOf<readonly ShownSection[] | undefined>();
    expectTypeOf<RunLimits['maxSectionOpenings']>().toEqualTypeOf<number | undefined>();
    typedOnly((_session, context) => {
      expectTypeOf(isSectionOpen(context, 'guide')).toEqualTypeOf<boolean>();
    });
  });
});

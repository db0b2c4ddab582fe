import { expectTypeOf, test } from 'vitest';
import type {
  AssistantItem,
  AssistantPart,
  ConversationItem,
  HostedApprovalItem,
  HostedApprovalRequestPart,
  NestedAdapter,
  PromptExecutedPayload,
  RecordedError,
  ToolContext,
  ToolInvokedPayload,
} from 'weakincentives';
import type { RawItems } from 'weakincentives/provider';
import type {
  DeadlinePort,
  PromptOutputPort,
  PromptPort,
  RenderedPromptPort,
  ToolPort,
} from '../../src/core/tool/index.ts';

test('whatever a public type speaks of can be named', () => {
  expectTypeOf<
    Extract<AssistantPart, { type: 'approval-request' }>
  >().toEqualTypeOf<HostedApprovalRequestPart>();
  expectTypeOf<Extract<ConversationItem, { type: 'approval' }>>().toEqualTypeOf<HostedApprovalItem>();
  expectTypeOf<AssistantItem['raw']>().toEqualTypeOf<RawItems | undefined>();
  expectTypeOf<ToolInvokedPayload['changes']>().toEqualTypeOf<
    readonly { readonly path: string; readonly kind: 'created' | 'modified' | 'removed' }[]
  >();
  expectTypeOf<NonNullable<PromptExecutedPayload['error']>>().toExtend<RecordedError>();
  expectTypeOf<ToolContext['deadline']>().toEqualTypeOf<DeadlinePort | undefined>();
  expectTypeOf<ToolContext['prompt']>().toEqualTypeOf<PromptPort>();
  expectTypeOf<ToolContext['renderedPrompt']>().toEqualTypeOf<RenderedPromptPort>();
  expectTypeOf<ToolContext['workspace']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<ToolContext['adapter']>().toEqualTypeOf<NestedAdapter>();
  expectTypeOf<RenderedPromptPort['tools']>().toEqualTypeOf<readonly ToolPort[]>();
  expectTypeOf<PromptPort<string>['output']>().toEqualTypeOf<PromptOutputPort<string> | undefined>();
});

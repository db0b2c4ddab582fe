import { expectTypeOf, test } from 'vitest';
import type {
  ApprovalItem,
  ApprovalRequestPart,
  AssistantItem,
  AssistantPart,
  ConversationItem,
  DeadlinePort,
  EvaluatorPort,
  PromptExecutedPayload,
  PromptOutputPort,
  PromptPort,
  RawItems,
  RecordedChange,
  RecordedError,
  RenderedPromptPort,
  ToolContext,
  ToolInvokedPayload,
  ToolPort,
} from 'weakincentives';

test('whatever a public type speaks of can be named', () => {
  expectTypeOf<Extract<AssistantPart, { type: 'approval-request' }>>().toEqualTypeOf<ApprovalRequestPart>();
  expectTypeOf<Extract<ConversationItem, { type: 'approval' }>>().toEqualTypeOf<ApprovalItem>();
  expectTypeOf<AssistantItem['raw']>().toEqualTypeOf<RawItems | undefined>();
  expectTypeOf<ToolInvokedPayload['changes']>().toEqualTypeOf<readonly RecordedChange[]>();
  expectTypeOf<NonNullable<PromptExecutedPayload['error']>>().toExtend<RecordedError>();
  expectTypeOf<ToolContext['deadline']>().toEqualTypeOf<DeadlinePort | undefined>();
  expectTypeOf<ToolContext['prompt']>().toEqualTypeOf<PromptPort>();
  expectTypeOf<ToolContext['renderedPrompt']>().toEqualTypeOf<RenderedPromptPort>();
  expectTypeOf<ToolContext['adapter']>().toEqualTypeOf<EvaluatorPort>();
  expectTypeOf<RenderedPromptPort['tools']>().toEqualTypeOf<readonly ToolPort[]>();
  expectTypeOf<PromptPort<string>['output']>().toEqualTypeOf<PromptOutputPort<string> | undefined>();
});

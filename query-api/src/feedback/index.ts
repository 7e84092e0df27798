export { eventFeedback } from './event-feedback.ts';
export type { CoffeeOfPlay, PlayReceipt, QuarantinedReceipt } from './event-found.ts';

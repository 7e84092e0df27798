export { cutSpans, joinSpans, lengthOf, type Span } from './span.ts';

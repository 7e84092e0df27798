import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';

/** JSON made easy to read; what is none, or was cut, as it is. */
const pretty = (raw: unknown): string => {
  if (typeof raw !== 'string') return JSON.stringify(raw, null, 2);
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
};

/** The event as it was sent, when asked for. */
export const Raw = ({ raw, of }: { readonly raw: unknown; readonly of: string }) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Hide' : 'Show'} event ${of}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? 'Hide event' : 'Show event'}
      </Button>
      {isOpen && (
        <pre class="raw" tabIndex={0} role="region" aria-label={`Event ${of}`}>
          {pretty(raw)}
        </pre>
      )}
    </>
  );
};

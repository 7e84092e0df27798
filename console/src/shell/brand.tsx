/** The name, and bars as of an equaliser: plays of a day. */
export const Brand = () => (
  <>
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="currentColor" />
      <path d="M7 17v-5M12 17V7M17 17v-7" stroke="var(--on-accent)" stroke-width="2.6" stroke-linecap="round" />
    </svg>
    <span>
      popsvc <span>operations</span>
    </span>
  </>
);

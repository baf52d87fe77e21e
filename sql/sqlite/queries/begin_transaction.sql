-- takes the write lock at once, so that nothing fails half-way for want of it.
BEGIN IMMEDIATE
